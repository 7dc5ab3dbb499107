-- Inspector Lestrade moves a cordon: the detective closes the exit that suspects in the dark are near,
-- Jack opens the one that he is near himself.

-- How many suspects are near an exit, those in the dark twice: only they may leave.
local function danger(turn, near)
  return count(near & turn.suspects) + count(near & turn.suspects & ~turn.seen)
end

local function close(turn, option)
  return 0.005 * (danger(turn, option.near_closed) - danger(turn, option.near_opened))
end

local function open(turn, option)
  return 0.02 * ((option.near_opened >> turn.jack & 1) - (option.near_closed >> turn.jack & 1))
end

return function(turn)
  return best_option(turn, close, open)
end
