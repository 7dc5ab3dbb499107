-- Sherlock Holmes draws an alibi card: there is nothing to choose, only to say what the place is worth.
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

return function(turn)
  -- The card rules somebody out as well; the detective gains by it, Jack takes it from him.
  return 1, worth(turn, turn.options[1]) + 0.1
end
