-- Takes rows of queues over from the ledger, unless a newer one of the same queue came first.
--
-- KEYS: ready (queue -> moment), rows (queue -> its row), aged (as ready, but of the queues of number 3)
-- ARGV: the version, then of each queue its name, its revision, its moment (empty: nothing in it), and its row as JSON
--       [version, revision, due_at, top_priority, host_ready_at]
-- Returns the names of the queues whose row here is newer, each with that row's revision. What is no row of this version is
-- written over.
local newer = {}
for i = 2, #ARGV, 4 do
  local queue, revision, moment = ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2]
  local good, known = pcall(cjson.decode, redis.call('HGET', KEYS[2], queue) or '')
  local there = good and type(known) == 'table' and known[1] == tonumber(ARGV[1]) and tonumber(known[2])
  if there and there > revision then
    newer[#newer + 1] = queue
    newer[#newer + 1] = string.format('%.0f', there)
  else
    local moments = string.sub(queue, -2) == '\t3' and KEYS[3] or KEYS[1]
    redis.call('HSET', KEYS[2], queue, ARGV[i + 3])
    if moment == '' then
      redis.call('ZREM', moments, queue)
    else
      redis.call('ZADD', moments, moment, queue)
    end
  end
end
return newer
