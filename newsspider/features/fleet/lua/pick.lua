-- Picks hosts that may be asked now, so that no two workers go for the same one.
--
-- KEYS: made (the version of a filled copy), ready (queue -> moment), rows (queue -> its row), sites (the watched ones),
--       dead_letters, owners (host -> its worker), aged (as ready, but of the queues of number 3)
-- ARGV: version, now, revisit_before, n, until (the picked are not picked again before), looked (queues looked at in one go),
--       waited (so many of the n are those that waited longest, whatever their priority; never a queue of number 3), most (queues looked at in all),
--       all (1: every site is watched), kept (dead letters), worker (empty: there is no other), left (what could be picked since
--       this moment may be picked though it is another worker's)
-- A queue is "host\tsite\tnumber", its row JSON [version, revision, due_at, top_priority, host_ready_at]. Returns the picked queues; false if the
-- copy is not filled; 0 if all that was looked at is of other sites, so that the ledger must say what there is.
-- The queues of number 3 have what is left: they are looked at only when all others that may be picked are.
-- What is no row of this version is put aside, and the copy counts as not filled from then on.
local version, now, revisit_before, n = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local later, looked, waited, most, all = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9] == '1'
local worker, left = ARGV[11], tonumber(ARGV[12])
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
if not all and redis.call('EXISTS', KEYS[4]) == 0 then return false end

local junk = {}
local function row_of(queue, number)
  local text = redis.call('HGET', KEYS[3], queue)
  local good, row = pcall(cjson.decode, text or '')
  if good and type(row) == 'table' and row[1] == version and type(row[4]) == 'number'
    and (number == '0' or type(row[3]) == 'number') then
    return row
  end
  junk[#junk + 1] = {queue, text or '', 'not a row of version ' .. ARGV[1]}
end

local function may_pick(host, moment)
  if worker == '' or moment <= left then return true end
  local owner = redis.call('HGET', KEYS[6], host)
  return not owner or owner == worker
end

local found, taken, picked, hidden = {}, {}, {}, false

-- What of a set of queues may be picked, those that are ready longest; whether these are all.
local function look(set, numbers)
  local some, place, over = {}, 0, false
  repeat
    local queues = redis.call('ZRANGEBYSCORE', set, '-inf', now, 'WITHSCORES', 'LIMIT', place, looked)
    for i = 1, #queues, 2 do
      local queue, moment = queues[i], tonumber(queues[i + 1])
      place = place + 1
      local host, site, number = string.match(queue, '^([^%c]+)\t([^%c]*)\t(' .. numbers .. ')$')
      if not host then
        junk[#junk + 1] = {queue, '', 'not the name of a queue in its place'}
      elseif (all or redis.call('SISMEMBER', KEYS[4], site) == 1) and may_pick(host, moment) then
        local row = row_of(queue, number)
        if row and (number == '0' or row[3] <= revisit_before) then
          some[#some + 1] = {set = set, queue = queue, host = host, site = site, top = row[4], place = place}
          found[#found + 1] = some[#some]
        end
      end
    end
    over = #queues < 2 * looked
  until over or #some >= looked or place >= most
  hidden = #found == 0 and place >= most
  return some, over
end

local function take(some, enough)
  for _, one in ipairs(some) do
    if #picked >= enough then return end
    if not taken[one.host] then
      taken[one.host] = true
      picked[#picked + 1] = one.queue
    end
  end
end

local function better(a, b) return a.top > b.top or (a.top == b.top and a.place < b.place) end

local some, over = look(KEYS[2], '[01]')
take(some, waited)
table.sort(some, better)
take(some, n)
if over and #picked < n then
  some = look(KEYS[7], '3')
  table.sort(some, better)
  take(some, n)
end

for _, one in ipairs(junk) do
  redis.pcall('LPUSH', KEYS[5], cjson.encode({version = version, message = one[1], row = one[2], reason = one[3]}))
  redis.pcall('LTRIM', KEYS[5], 0, tonumber(ARGV[10]) - 1)
  redis.call('ZREM', KEYS[2], one[1])
  redis.call('ZREM', KEYS[7], one[1])
  redis.call('HDEL', KEYS[3], one[1])
  redis.call('DEL', KEYS[1])
end
if hidden then return 0 end

for _, one in ipairs(found) do
  if taken[one.host] then
    redis.call('ZADD', one.set, later, one.queue)
    local aged = one.host .. '\t' .. one.site .. '\t3'
    if tonumber(redis.call('ZSCORE', KEYS[7], aged) or later) < later then redis.call('ZADD', KEYS[7], later, aged) end
  end
end
return picked
