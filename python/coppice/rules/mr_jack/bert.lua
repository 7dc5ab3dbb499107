-- Jeremy Bert moves a cover: the detective closes the manholes that suspects are near, Jack opens those
-- near himself.

local function close(turn, option)
  local closed = count(option.near_covered & turn.suspects)
  local opened = count(option.near_opened & turn.suspects)
  return 0.005 * (closed - opened)
end

local function open(turn, option)
  local closed = option.near_covered >> turn.jack & 1
  local opened = option.near_opened >> turn.jack & 1
  return 0.01 * (opened - closed)
end

return function(turn)
  return best_option(turn, close, open)
end
