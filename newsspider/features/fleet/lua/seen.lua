-- Asks which URLs are known to be in the ledger, notes that some are, or removes them, so that they are looked up again.
--
-- KEYS: generation
-- ARGV: what ('ask', 'add', 'remove' or 'wipe'), the prefix of the buckets, how many there are, the generation, then of each URL its bucket
--       and its key in decimal
-- A generation is how often a URL was forgotten: what was noted in an earlier one is deleted, what is of an earlier one is
-- refused. Returns a text of a 0 or 1 for each URL that was asked for; false if it is of an earlier generation.
local what, prefix, buckets, generation = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local current = tonumber(redis.call('GET', KEYS[1]) or -1)
if what ~= 'wipe' and current and current > generation then return false end
if what == 'wipe' or current ~= generation then
  for start = 0, buckets - 1, 1024 do
    local names = {}
    for bucket = start, math.min(start + 1024, buckets) - 1 do names[#names + 1] = prefix .. bucket end
    redis.call('UNLINK', unpack(names))
  end
  redis.call('SET', KEYS[1], ARGV[4])
end
if what == 'ask' then
  local known = {}
  for i = 5, #ARGV, 2 do known[#known + 1] = redis.call('SISMEMBER', prefix .. ARGV[i], ARGV[i + 1]) end
  return table.concat(known)
end
local command = what == 'remove' and 'SREM' or 'SADD'
for i = 5, #ARGV, 2 do redis.call(command, prefix .. ARGV[i], ARGV[i + 1]) end
return ''
