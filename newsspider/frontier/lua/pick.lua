-- Picks hosts that may be asked now, so that no two workers go for the same one.
--
-- KEYS: made (the mark of a filled copy), ready (queue -> moment), rows (queue -> its row), sites (the watched ones; empty: all)
-- ARGV: now, revisit_before, n, until (the picked are not picked again before), looked (most queues looked at),
--       waited (so many of the n are those that waited longest, whatever their priority)
-- A queue is "host\tsite\tnumber", its row JSON [1, revision, due_at, top, gate]. Returns the picked queues, or false if the
-- copy is not filled.
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
local now, revisit_before, n = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local all = redis.call('EXISTS', KEYS[4]) == 0
local found = {}
for place, queue in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, tonumber(ARGV[5]))) do
  local host, site, number = string.match(queue, '^([^\t]*)\t([^\t]*)\t([^\t]*)$')
  if all or redis.call('SISMEMBER', KEYS[4], site) == 1 then
    local row = redis.call('HGET', KEYS[3], queue)
    if row then
      row = cjson.decode(row)
      if number == '0' or row[3] <= revisit_before then
        found[#found + 1] = {queue = queue, host = host, top = row[4], place = place}
      end
    else
      redis.call('ZREM', KEYS[2], queue)
    end
  end
end
local taken, picked = {}, {}
local function take(most)
  for _, one in ipairs(found) do
    if #picked >= most then return end
    if not taken[one.host] then
      taken[one.host] = true
      picked[#picked + 1] = one.queue
    end
  end
end
take(tonumber(ARGV[6]))
table.sort(found, function(a, b) return a.top > b.top or (a.top == b.top and a.place < b.place) end)
take(n)
for _, one in ipairs(found) do
  if taken[one.host] then redis.call('ZADD', KEYS[2], ARGV[4], one.queue) end
end
return picked
