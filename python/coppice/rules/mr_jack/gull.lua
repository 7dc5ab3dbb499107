-- Sir William Gull changes places: with whom, so that the right ones stand in the light afterwards.
--
-- turn.options lists the uses of the power; the answer is the number of one of them and its worth in 0..1.
-- Sets of characters are numbers: bit 0 is Holmes, then Watson, Smith, Lestrade, Stealthy, Goodley, Gull, Bert.

-- The detective wants two halves: the expected share of suspects that a call of the witnesses rules out.
-- Jack wants to be with the many, and in the dark, from where he can escape.
local function worth(turn, option)
  local seen, unseen = option.suspects_seen, option.suspects_unseen
  local all = seen + unseen
  if turn.side == "detective" then
    return 1 - (seen * seen + unseen * unseen) / (all * all)
  end
  if option.jack_seen == 1 then
    return 0.9 * seen / all
  end
  return 0.9 * unseen / all + 0.1
end

-- Jack is better off near an exit that is open; the detective would rather keep suspects away from it.
local function nearest(turn, who)
  local best = 99
  for exit = 1, 4 do
    if turn.cordons >> (exit - 1) & 1 == 0 then
      best = math.min(best, turn.exits[(exit - 1) * 8 + who + 1])
    end
  end
  return best
end

local function taste(turn, option)
  if option.partner < 0 then
    return 0
  end
  local mine, others = nearest(turn, turn.me), nearest(turn, option.partner)
  if turn.side == "jack" then
    if option.partner == turn.jack then
      return 0.005 * (others - mine)
    end
    if turn.me == turn.jack then
      return 0.005 * (mine - others)
    end
    return 0
  end
  -- Gull stands where the other was: the one of them who is innocent goes nearer to the exit.
  if turn.suspects >> option.partner & 1 == 1 and turn.suspects >> turn.me & 1 == 0 then
    return 0.005 * (mine - others)
  end
  return 0
end

return function(turn)
  local best, best_worth = 1, -1
  for i, option in ipairs(turn.options) do
    local value = worth(turn, option) + taste(turn, option)
    if value > best_worth then
      best, best_worth = i, value
    end
  end
  return best, best_worth
end
