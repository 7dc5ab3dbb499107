-- Inspector Lestrade moves a cordon: the detective closes the exit that suspects in the dark are near,
-- Jack opens the one that he is near himself.
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

-- Steps from a character (0 to 7) to an exit (1 to 4).
local function steps(turn, exit, who)
  return turn.exits[(exit - 1) * 8 + who + 1]
end

-- How close the suspects are to an exit, those in the dark above all: only they may leave.
local function danger(turn, exit)
  local sum = 0
  for who = 0, 7 do
    if turn.suspects >> who & 1 == 1 then
      local weight = 1
      if turn.seen >> who & 1 == 0 then
        weight = 2
      end
      sum = sum + weight / (1 + steps(turn, exit, who))
    end
  end
  return sum
end

local function taste(turn, option)
  if turn.side == "detective" then
    return 0.05 * (danger(turn, option.closed) - danger(turn, option.opened))
  end
  return 0.02 * (steps(turn, option.closed, turn.jack) - steps(turn, option.opened, turn.jack))
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
