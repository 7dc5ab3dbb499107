-- John Watson points his lantern: where it splits the suspects best, or, for Jack, where it misses him.

-- Among equals the lantern finds the characters that are no gaslight's business.
local function light(turn, option)
  return 0.001 * option.suspects_seen
end

local function dark(turn, option)
  return -0.001 * option.suspects_seen
end

return function(turn)
  return best_option(turn, light, dark)
end
