-- Sir William Gull changes places: with whom, so that the right ones stand in the light afterwards.

-- Jack is better off near an exit that is open; the detective would rather keep suspects away from it. The one
-- with whom Gull changes places comes to where Gull stands then: where he began or, if he moves before, to his
-- destination.
local function nearest(turn, who)
  local best = 99
  for exit = 1, 4 do
    if turn.cordons >> (exit - 1) & 1 == 0 then
      local steps = turn.exits[(exit - 1) * 8 + who + 1]
      if who == turn.me and game.gull == "and" then
        steps = turn.gates[exit]
      end
      best = math.min(best, steps)
    end
  end
  return best
end

-- Gull stands where the other was: the one of them who is innocent goes nearer to the exit.
local function keep_away(turn, option)
  if option.partner < 0 or turn.suspects >> option.partner & 1 == 0 or turn.suspects >> turn.me & 1 == 1 then
    return 0
  end
  return 0.005 * (nearest(turn, turn.me) - nearest(turn, option.partner))
end

local function come_near(turn, option)
  if option.partner == turn.jack then
    return 0.005 * (nearest(turn, option.partner) - nearest(turn, turn.me))
  end
  if option.partner >= 0 and turn.me == turn.jack then
    return 0.005 * (nearest(turn, turn.me) - nearest(turn, option.partner))
  end
  return 0
end

return function(turn)
  return best_option(turn, keep_away, come_near)
end
