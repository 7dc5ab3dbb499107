-- John Watson points his lantern: where it splits the suspects best, or, for Jack, where it misses him.
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

-- Among equals the lantern finds the characters that are no gaslight's business.
local function taste(turn, option)
  if turn.side == "detective" then
    return 0.001 * count(option.seen & turn.suspects)
  end
  return -0.001 * count(option.seen & turn.suspects)
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
