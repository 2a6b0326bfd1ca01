-- Takes rows of queues over from the ledger, unless a newer one of the same queue came first.
--
-- KEYS: ready (queue -> moment), rows (queue -> its row)
-- ARGV: of each queue its name, its revision, its moment (empty: nothing in it), and its row as JSON [1, revision, due_at, top, gate]
for i = 1, #ARGV, 4 do
  local queue, moment = ARGV[i], ARGV[i + 2]
  local known = redis.call('HGET', KEYS[2], queue)
  if not known or cjson.decode(known)[2] <= tonumber(ARGV[i + 1]) then
    redis.call('HSET', KEYS[2], queue, ARGV[i + 3])
    if moment == '' then
      redis.call('ZREM', KEYS[1], queue)
    else
      redis.call('ZADD', KEYS[1], moment, queue)
    end
  end
end
return #ARGV / 4
