/**
 * The first half of the script of `Script.ts`: the state, the log, `SharedPace.ts` and `SharedWindow.ts`.
 */

/** Reads step and state, and defines what windows and replies do. */
export const lua = `
local strictest = { limit = 10, window = 6000 }
local plans = {
  community = { limit = 10, window = 6000 },
  trial = { limit = 10, window = 6000 },
  default = { limit = 6000, window = 20000 },
  download = { limit = 6000, window = 20000 }
}
local planNames = { "community", "trial", "default", "download" }
local huge = math.huge

local step = cjson.decode(ARGV[1])
local clock
if ARGV[2] == "" then
  local time = redis.call("TIME")
  clock = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
else
  clock = tonumber(ARGV[2])
end

local function exact(n) return string.format("%.17g", n) end

-- The log.
local function countAfter(time) return redis.call("ZCOUNT", KEYS[2], "(" .. exact(time), "+inf") end
local function newest(place)
  local found = redis.call("ZRANGE", KEYS[2], -place, -place, "WITHSCORES")
  return found[2] and tonumber(found[2])
end
local function addReply(id, time) redis.call("ZADD", KEYS[2], exact(time), id) end

local function filter(list, keep)
  local kept = {}
  for _, one in ipairs(list) do if keep(one) then kept[#kept + 1] = one end end
  return kept
end
local function find(list, is)
  for _, one in ipairs(list) do if is(one) then return one end end
end

-- The requests of others.
local function countAt(others, now)
  local rest = others.count
  if others.first and now >= others.first then rest = others.count - 1 end
  if now <= others["until"] then return rest end
  return math.max(0, math.ceil(rest * (1 - (now - others["until"]) / others.window) - 1e-9))
end
local function fadesTo(others, left, now)
  if countAt(others, now) <= left then return now end
  if others.first and now < others.first and others.count - 1 <= left then return others.first end
  local rest = others.count
  if others.first then rest = others.count - 1 end
  return others["until"] + others.window * (1 - left / rest)
end
local noOthers = { count = 0, ["until"] = 0, window = 1 }

local state
local stored = redis.call("GET", KEYS[1])
if stored then
  state = cmsgpack.unpack(stored)
else
  redis.call("DEL", KEYS[2])
  state = {
    generation = step.nonce, now = clock, offset = 0, grace = -1, last = 0, parallel = 1,
    policies = { strictest }, isKnown = false, isNamed = false,
    block = { ["until"] = -1, isAsked = false }, refusals = 0, refusedAt = -1, others = noOthers,
    pace = { kept = {}, needed = 10, refusedAt = -1, since = -1, accepted = 0, seen = 0, sinceGrowth = 0, isUsedUp = false },
    sentAt = -1, sent = 0, rejected = 0, processes = {}, permits = {}, tickAt = -1, ticker = ""
  }
end
if clock + state.offset < state.now - 1000 then state.offset = state.now - clock end
local now = math.max(state.now, clock + state.offset)
state.now = now

-- The pace.
local pace = state.pace
local function parallel() return math.min(pace.parallel or state.parallel, state.parallel) end
local function policiesOf(rates)
  local burst = math.max(1, math.min(parallel(), math.ceil(rates.current * 1000)))
  return {
    { limit = math.max(1, math.floor(rates.current * 6000 + 1e-9)), window = 6000 },
    { limit = burst, window = (burst / rates.current) * 0.8 }
  }
end
local function changePace(rates, at)
  pace.since = at
  pace.seen = 0
  pace.isUsedUp = false
  pace.rates = rates
  pace.kept = rates and policiesOf(rates) or {}
end
local function raised(rates)
  local confirmed, refused = rates.current, rates.refused
  if confirmed > 1 then return nil end
  if not refused or confirmed * 2 < refused then
    return { current = confirmed * 2, confirmed = confirmed, refused = refused }
  end
  if confirmed * 1.1 < refused then
    return { current = (confirmed + refused) / 2, confirmed = confirmed, refused = refused }
  end
  return { current = confirmed * 1.1, confirmed = confirmed }
end
local start = 10 / 6000
local function lowered(rates)
  if rates.current > rates.confirmed then
    return { current = rates.confirmed, confirmed = rates.confirmed, refused = rates.current }
  end
  local half = math.max(start / 10, rates.current / 2)
  local refused = rates.refused
  if half < rates.current then refused = rates.current end
  return { current = half, confirmed = half, refused = refused }
end
local function acceptPace(sent)
  if sent <= pace.refusedAt then return end
  pace.accepted = pace.accepted + 1
  if parallel() < state.parallel then
    pace.sinceGrowth = pace.sinceGrowth + 1
    if pace.sinceGrowth >= parallel() then
      pace.sinceGrowth = 0
      pace.parallel = parallel() + 1
      if pace.rates then pace.kept = policiesOf(pace.rates) end
    end
  end
  local rates = pace.rates
  if not rates then return end
  pace.seen = pace.seen + 1
  if pace.seen < pace.needed or not pace.isUsedUp or now - pace.since < 6000 then return end
  if rates.current > rates.confirmed then pace.needed = math.max(10, pace.needed / 2) end
  changePace(raised(rates), now)
end
local function refusePace(sent)
  if sent <= pace.refusedAt then return end
  pace.refusedAt = now
  local rates = pace.rates
  if rates and pace.accepted == 0 then return end
  pace.accepted = 0
  pace.sinceGrowth = 0
  pace.parallel = math.max(1, math.floor(parallel() / 2))
  if rates and rates.current > rates.confirmed then pace.needed = math.min(640, pace.needed * 2) end
  changePace(rates and lowered(rates) or { current = start, confirmed = start }, now)
end

-- The windows.
local function length(policy) return policy.window * 1.01 end
local function all()
  local list = {}
  for _, policy in ipairs(state.policies) do list[#list + 1] = policy end
  for _, policy in ipairs(pace.kept) do list[#list + 1] = policy end
  return list
end
local function inFlight() return #filter(state.permits, function(permit) return not permit.isReplied end) end
local function othersFor(policy)
  if policy.window >= state.others.window then return state.others end
  return noOthers
end
local function taken(policy)
  return inFlight() + countAfter(now - length(policy)) + countAt(othersFor(policy), now)
end
local function freeAt(policy)
  if taken(policy) < policy.limit then return now end
  local others, running = othersFor(policy), inFlight()
  local function fades(left) return fadesTo(others, left, now) end
  local function frees(left)
    local places = policy.limit - running - left
    if places <= 0 then return huge end
    local time = newest(places)
    if not time then return now end
    return math.max(now, time + length(policy))
  end
  local low, high = 0, countAt(others, now)
  while low < high do
    local middle = math.floor((low + high + 1) / 2)
    if frees(middle) <= fades(middle) then low = middle else high = middle - 1 end
  end
  local soonest = math.max(fades(low), frees(low))
  if low < countAt(others, now) then return math.min(soonest, frees(low + 1)) end
  return soonest
end
local function tightest()
  local best
  for _, policy in ipairs(all()) do
    if not best or policy.limit / policy.window < best.limit / best.window then best = policy end
  end
  return best
end
local function nextAt()
  local at = math.max(state.block["until"], state.grace, now)
  for _, policy in ipairs(all()) do at = math.max(at, freeAt(policy)) end
  return at
end
local function remaining()
  if now < math.max(state.block["until"], state.grace) then return 0 end
  local least = 1e15
  for _, policy in ipairs(all()) do least = math.min(least, policy.limit - taken(policy)) end
  return math.max(0, least)
end
local function waitCause()
  if nextAt() <= now then return "" end
  for _, policy in ipairs(all()) do
    if freeAt(policy) > math.max(now, state.block["until"]) then return "window" end
  end
  return "service"
end
local function hold()
  local longest = { ["until"] = state.block["until"], by = state.block.isAsked and "retryAfter" or "refusal" }
  for _, policy in ipairs(state.policies) do
    if policy.window > 60000 then
      local at = freeAt(policy)
      if at > longest["until"] then longest = { ["until"] = at, by = "window", limit = policy.limit } end
    end
  end
  return longest
end

-- What replies tell.
local function block(at, isAsked)
  if at > state.block["until"] then state.block = { ["until"] = at, isAsked = isAsked } end
end
local function learn(reply)
  local published = reply.plan and plans[reply.plan]
  if not reply.limit then return published and { published } end
  local named, rest = {}, {}
  for _, policy in ipairs(reply.policies) do
    if policy.limit == reply.limit then named[#named + 1] = policy else rest[#rest + 1] = policy end
  end
  if #named > 0 then
    for _, policy in ipairs(rest) do named[#named + 1] = policy end
    return named
  end
  local same
  local known = { published or false }
  for _, name in ipairs(planNames) do known[#known + 1] = plans[name] end
  for _, policy in ipairs(state.policies) do known[#known + 1] = policy end
  for _, policy in ipairs(known) do
    if not same and policy and policy.limit == reply.limit then same = policy end
  end
  local learned = { { limit = reply.limit, window = same and same.window or 60000 } }
  for _, policy in ipairs(rest) do learned[#learned + 1] = policy end
  return learned
end
local function observePolicies(permit, reply)
  local learned = learn(reply)
  if permit.isProbe and state.probed and not learned and reply.status < 300 then
    state.policies = filter(state.policies, function(policy)
      return not find(state.probed.policies, function(wrong)
        return wrong.limit == policy.limit and wrong.window == policy.window
      end)
    end)
    if #state.policies == 0 then
      state.policies = state.planned and { state.planned } or {}
      state.isKnown = state.planned ~= nil
      state.isNamed = false
    end
  end
  if learned or (not state.isKnown and reply.status < 300) then state.policies = learned or {} end
  if not learned then return end
  state.isKnown = true
  state.isNamed = true
  pace.parallel = nil
  changePace(nil, -1)
end
local function observeOthers(permit, reply, isCurrent)
  local window = state.policies[1] and state.policies[1].window or 6000
  local own = inFlight() + countAfter(permit.sent - window)
  local used = (reply.limit and reply.remaining) and (reply.limit - reply.remaining) or 0
  local asked = reply.retryAfter or reply.reset
  local count = math.max(0, used - own)
  local first
  if count > 0 and reply.remaining == 0 and asked and asked < window then first = now + asked end
  local others = state.others
  local isAwaited = others.first and permit.sent >= others.first
  local isMore = window ~= others.window or count >= countAt(others, now)
  if isMore or isAwaited or isCurrent then
    state.others = { count = count, ["until"] = now + window, window = window, first = first }
  end
end
local function observe(permit, reply)
  observePolicies(permit, reply)
  local asked = reply.retryAfter or reply.reset
  local held
  if permit.isProbe and reply.status < 500 and (reply.status ~= 429 or asked) then held = state.probed end
  observeOthers(permit, reply, held ~= nil)
  if held and held.block["until"] == state.block["until"] and held.block.isAsked == state.block.isAsked then
    state.block = { ["until"] = -1, isAsked = false }
  end
  if reply.status == 429 then
    if asked and asked > 0 then return block(now + asked, true) end
    if permit.sent > state.refusedAt then
      state.refusedAt = now
      state.refusals = state.refusals + 1
      block(now + math.min(1000 * 2 ^ (state.refusals - 1), 60000), false)
    end
    if not reply.limit and not state.isNamed then refusePace(permit.sent) end
    return
  end
  if permit.sent <= state.refusedAt then return end
  state.refusals = 0
  if reply.status < 500 then acceptPace(permit.sent) end
end
`
