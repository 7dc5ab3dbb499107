-- Sergeant Goodley whistles: whom to bring into the light, to another character, or out of both.
-- Some of his many whistles are offered; those after which the same characters are seen, once.

-- The detective calls suspects, and leaves innocents where they are; Jack calls others than himself.
local function call_suspects(turn, option)
  return 0.002 * count(option.moved & turn.suspects)
end

local function call_others(turn, option)
  if option.moved >> turn.jack & 1 == 1 then
    return -0.01
  end
  return 0
end

return function(turn)
  return best_option(turn, call_suspects, call_others)
end
