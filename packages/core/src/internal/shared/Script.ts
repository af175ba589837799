/**
 * `Transition.ts` in the language of Redis: one run is one step. A test compares their answers.
 *
 * The state is one value (MessagePack, which keeps numbers exactly), the log of replies a sorted set. Time is that of the server.
 */
import * as WindowScript from "./WindowScript.ts"

/**
 * KEYS: state, log. ARGV: the step as JSON, the time to assume in place of the server's or nothing, the name of a
 * process's channel.
 */
export const lua = `${WindowScript.lua}
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
