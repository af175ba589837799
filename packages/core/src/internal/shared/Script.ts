/**
 * `Transition.ts` in the language of Redis: one run is one step. A test compares their answers.
 *
 * The state is one value (MessagePack, which keeps numbers exactly), the log of replies a sorted set. Time is that of the server.
 */

/** KEYS: state, log. ARGV: the step as JSON, the time to assume in place of the server's or nothing, the name of a process's channel. */
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
if clock + state.offset < state.now then state.offset = state.now - clock end
local now = clock + state.offset
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

-- Permits and processes.
local function release(id)
  state.permits = filter(state.permits, function(permit) return permit.id ~= id end)
  if state.probe == id then state.probe = nil end
end
local function abandon(permit)
  if not permit.isReplied then addReply(permit.id, now) end
  release(permit.id)
end
local function permitOf(id) return find(state.permits, function(permit) return permit.id == id end) end
local function processOf(id) return find(state.processes, function(process) return process.id == id end) end
local function heldBy(id) return #filter(state.permits, function(permit) return permit.process == id end) end

local function purge()
  local dead = filter(state.processes, function(process) return process.lease <= now end)
  if #dead == 0 then return end
  state.processes = filter(state.processes, function(process) return process.lease > now end)
  for _, process in ipairs(dead) do
    for _, permit in ipairs(filter(state.permits, function(one) return one.process == process.id end)) do abandon(permit) end
  end
end

local function join(joining)
  state.parallel = joining.parallel
  if not state.isKnown and #joining.policies > 0 then
    state.policies = joining.policies
    state.isKnown = true
    state.isNamed = true
  elseif not state.isKnown and joining.planned then
    state.planned = joining.planned
    state.policies = { joining.planned }
    state.isKnown = true
  end
  if step.generation ~= "" and step.generation ~= state.generation then
    state.grace = math.max(state.grace, now + step.lease)
  end
  if joining.alone then state.grace = math.max(state.grace, now + 2000) end
  if not processOf(step.process) then
    state.processes[#state.processes + 1] = { id = step.process, lease = now + step.lease, want = 0 }
  end
  local listed = {}
  for _, request in ipairs(joining.requests) do listed[request.id] = true end
  for _, permit in ipairs(state.permits) do
    if permit.process == step.process and not listed[permit.id] then
      if not permit.isReplied then state.sent = state.sent - 1 end
      release(permit.id)
    end
  end
  for _, request in ipairs(joining.requests) do
    local known = permitOf(request.id)
    if request.age < 0 then
      redis.call("ZREM", KEYS[2], request.id)
    else
      redis.call("ZADD", KEYS[2], "NX", exact(now - request.age), request.id)
    end
    if not request.held then
      release(request.id)
    elseif known then
      known.isTold = true
      known.isReplied = request.age >= 0
    else
      state.permits[#state.permits + 1] = {
        id = request.id, process = step.process, sent = now, isProbe = false, isTold = true, isReplied = request.age >= 0
      }
    end
  end
end

local function happen(event)
  local permit = permitOf(event.id)
  if event.type == "unused" then
    if permit then state.sent = state.sent - 1 end
    return release(event.id)
  end
  if event.type == "end" then
    if permit then abandon(permit) end
    return
  end
  local reply = event.reply
  state.plan = reply.plan or state.plan
  if reply.status == 429 then state.rejected = state.rejected + 1 end
  if not permit or permit.isReplied then return end
  permit.isReplied = true
  if reply.status ~= 429 then addReply(permit.id, now) end
  observe(permit, reply)
  if state.probe == permit.id then state.probe = nil end
end

local function isPermitFree() return #state.permits < parallel() end
local function grant(process, isProbe)
  state.last = state.last + 1
  local id = state.generation .. "-" .. exact(state.last)
  state.permits[#state.permits + 1] = {
    id = id, process = process.id, sent = now, isProbe = isProbe, isTold = false, isReplied = false
  }
  state.sentAt = now
  state.sent = state.sent + 1
  process.want = process.want - 1
  state.processes = filter(state.processes, function(one) return one ~= process end)
  state.processes[#state.processes + 1] = process
  return id
end
local function nextInLine()
  local active = #filter(state.processes, function(process) return process.want > 0 or heldBy(process.id) > 0 end)
  local part = math.ceil(parallel() / math.max(1, active))
  local waiting = filter(state.processes, function(process) return process.want > 0 end)
  return find(waiting, function(process) return heldBy(process.id) < part end) or waiting[1]
end
local function serve()
  local served = {}
  while isPermitFree() do
    local following = nextInLine()
    if not following then break end
    if nextAt() > now then
      for _, policy in ipairs(pace.kept) do if freeAt(policy) > now then pace.isUsedUp = true end end
      break
    end
    if not find(served, function(id) return id == following.id end) then served[#served + 1] = following.id end
    grant(following, false)
  end
  return served
end
local function judgeWait(own)
  if step.longest < 0 or own.want <= 0 or not isPermitFree() then return end
  local at = nextAt()
  if at <= now or at == huge then return end
  local held = hold()
  if held["until"] - (now - step.waited) <= step.longest or state.probe then return end
  if state.sentAt ~= -1 and now - state.sentAt < step.probeAfter then
    return { ["until"] = math.ceil(held["until"] - now), by = held.by, limit = held.limit }
  end
  state.probed = {
    policies = filter(state.policies, function(policy) return policy.window > 60000 and freeAt(policy) > now end),
    block = state.block
  }
  state.probe = grant(own, true)
end
local function nextTick()
  local at = huge
  if find(state.processes, function(process) return process.want > 0 end) and isPermitFree() then at = nextAt() end
  if at == huge then return -1 end
  local tick = math.max(math.ceil(at), now + 10)
  if state.ticker ~= step.process and state.tickAt > now and state.tickAt <= tick + 10 then return tick - now + 250 end
  state.tickAt = tick
  state.ticker = step.process
  return tick - now
end

local function flat(policies)
  local list = {}
  for _, policy in ipairs(policies) do list[#list + 1] = exact(policy.limit) .. ";" .. exact(policy.window) end
  return table.concat(list, ",")
end
local function answer(fields)
  local at, best, waiting = nextAt(), tightest(), 0
  for _, process in ipairs(state.processes) do waiting = waiting + process.want end
  local tooLong = fields.tooLong
  return {
    state.generation, fields.isUnknown and "1" or "", table.concat(fields.granted or {}, " "), exact(fields.wait or -1),
    fields.cause or "",
    tooLong and table.concat({ exact(tooLong["until"]), tooLong.by, tooLong.limit and exact(tooLong.limit) or "" }, " ") or "",
    state.block.isAsked and "1" or "", state.isNamed and flat(state.policies) or "", state.plan or "",
    best and flat({ best }) or "", exact(remaining()), at == huge and "-1" or exact(math.ceil(at - now)),
    exact(#state.permits), exact(waiting), exact(state.sent), exact(state.rejected), exact(#state.processes)
  }
end
local function keep()
  local most = 86400000
  for _, policy in ipairs(all()) do most = math.max(most, 2 * length(policy)) end
  most = exact(math.ceil(math.min(most, 1e12)))
  redis.call("SET", KEYS[1], cmsgpack.pack(state), "PX", most)
  redis.call("PEXPIRE", KEYS[2], most)
end

purge()
if step.join then join(step.join) end
local own = processOf(step.process)
if not own or (not step.join and step.generation ~= state.generation) then
  keep()
  return answer({ isUnknown = true })
end
own.lease = now + step.lease
if own.want == 0 and step.want > 0 then
  state.processes = filter(state.processes, function(one) return one ~= own end)
  state.processes[#state.processes + 1] = own
end
for _, event in ipairs(step.events) do happen(event) end
local untold = filter(state.permits, function(permit) return permit.process == own.id and not permit.isTold end)
own.want = math.max(0, step.want - #untold)
local longest = 6000 * 1.01
for _, policy in ipairs(all()) do longest = math.max(longest, length(policy)) end
redis.call("ZREMRANGEBYSCORE", KEYS[2], "-inf", exact(now - 2 * longest))
local served = serve()
local tooLong = judgeWait(own)
local wait = nextTick()
local cause = ""
if own.want > 0 then cause = isPermitFree() and waitCause() or "permit" end
local granted = {}
for _, permit in ipairs(state.permits) do
  if permit.process == own.id and not permit.isTold then
    permit.isTold = true
    granted[#granted + 1] = permit.id
  end
end
keep()
for _, id in ipairs(served) do
  if id ~= own.id then redis.call("PUBLISH", ARGV[3] .. id, "") end
end
return answer({ granted = granted, wait = wait, tooLong = tooLong, cause = cause })
`
