-- What the scripts of the characters share: how much an option is worth to either side.
--
-- This file is run before the others, and what it defines they can use. A script returns a function; it is
-- given the position (turn) and answers with the number of one of turn.options, the uses of its power, and with
-- the worth of that option in 0..1. Sets of characters are numbers: bit 0 is Holmes, then Watson, Smith,
-- Lestrade, Stealthy, Goodley, Gull, Bert.
--
-- The options of the game are in the table game: game.witness, game.gull, game.whistle, game.edition.
--
-- Only what stands at the next call of the witnesses counts. Who has been moved stays where he is (he is
-- settled); whoever is still to be moved before the call counts half as seen.

local count, floor = count, math.floor

-- Whether nobody is called at the end of this turn, so that all depends on the end of the next.
local function is_uncalled(turn)
  return game.witness == "every_other_turn" and turn.turn % 2 == 1
end

-- How many suspects are settled in the light and in the dark. Before a turn without a call those who are moved in
-- the next one are not settled either.
local function settled_in(turn, option)
  if not is_uncalled(turn) then
    return option.settled_seen, option.settled_unseen
  end
  local settled = turn.suspects & ~turn.hand & ~turn.next | turn.suspects & 1 << turn.me
  return count(settled & option.seen), count(settled & ~option.seen)
end

-- The rows of the turn after the next call.
local function rows_of(turn, seen, unseen)
  local at = is_uncalled(turn) and turn.turn + 1 or turn.turn
  return seen[at], unseen[at]
end

-- How many games of a hundred the detective wins from the beginning of a turn with 1 to 8 suspects, in random
-- play: a row for each turn from the second, and one for what follows the eighth. First when Jack was seen ...
local if_seen = {
  {100, 90, 82, 78, 74, 69, 68, 67},
  {100, 85, 78, 73, 67, 65, 60, 56},
  {100, 84, 73, 66, 56, 55, 50, 45},
  {100, 76, 62, 54, 47, 42, 37, 32},
  {100, 65, 44, 28, 22, 18, 14, 10},
  {99, 38, 20, 8, 5, 4, 3, 2},
  {88, 2, 0, 0, 0, 0, 0, 0},
  {0, 0, 0, 0, 0, 0, 0, 0},
}
-- ... then when he was not, so that he may leave.
local if_unseen = {
  {89, 77, 71, 67, 62, 60, 59, 58},
  {88, 66, 61, 56, 53, 52, 47, 43},
  {81, 62, 56, 45, 43, 41, 38, 35},
  {81, 57, 48, 39, 36, 33, 30, 27},
  {81, 48, 35, 27, 20, 16, 12, 9},
  {81, 30, 15, 10, 6, 4, 3, 2},
  {68, 1, 0, 0, 0, 0, 0, 0},
  {0, 0, 0, 0, 0, 0, 0, 0},
}

-- An entry of a row, in 0..1, for a number of suspects that need not be whole.
local function chance(row, suspects)
  if suspects <= 1 then
    return row[1] / 100
  end
  local whole = floor(suspects)
  local low, high = row[whole], row[whole + 1] or row[whole]
  return (low + (high - low) * (suspects - whole)) / 100
end

-- The detective wants to divide the suspects, and nobody near an open exit who could be Jack in the dark.
local function detective(turn, taste)
  local all = count(turn.suspects)
  local rest = turn.hand & ~(1 << turn.me)
  local seen_row, unseen_row = rows_of(turn, if_seen, if_unseen)
  -- Who can leave in this turn if he is Jack, and who in the next: in an even turn Jack moves first, and the
  -- cards are known.
  local now, soon, fear = 0, turn.suspects, 0.1
  if turn.witness == 0 and turn.left > 0 then
    now = turn.suspects & rest
  end
  if turn.turn % 2 == 1 then
    soon, fear = turn.suspects & turn.next, 0.5
  end
  if turn.left > 0 then
    fear = fear / 2
  end
  local uncalled, known = is_uncalled(turn), {}
  local best, best_worth = 1, -9
  for i, option in ipairs(turn.options) do
    local lit, unlit = settled_in(turn, option)
    local value = known[lit]
    if value == nil then
      local free = (all - lit - unlit) / 2
      local seen, unseen = lit + free, unlit + free
      value = (seen * chance(seen_row, seen) + unseen * chance(unseen_row, unseen)) / all
      known[lit] = value
    end
    -- Who may leave in the next turn: who is unseen at the end of this one or, without a call, was so before.
    local dark = ~option.seen
    if uncalled then
      dark = turn.witness == 0 and ~0 or 0
    end
    local leavers = option.leavers
    value = value - (0.5 * count(leavers & now) + fear * count(leavers & soon & dark)) / all
    if taste then
      value = value + taste(turn, option)
    end
    if value > best_worth then
      best, best_worth = i, value
    end
  end
  return best, best_worth
end

-- Jack wants to be with the many; best of all in the dark, near an open exit, with his card to come.
local function jack(turn, taste)
  local all = count(turn.suspects)
  local rest = turn.hand & ~(1 << turn.me)
  local own = 1 << turn.jack
  local uncalled = is_uncalled(turn)
  local settled = (uncalled and rest | turn.next or rest) & own == 0
  local seen_row, unseen_row = rows_of(turn, if_seen, if_unseen)
  local now, soon = 0, 0.1
  if turn.witness == 0 and rest & own ~= 0 then
    -- In an odd turn he moves twice in a row.
    now = turn.left == 2 and 0.5 or turn.left > 0 and 0.2 or 0
  end
  if turn.turn % 2 == 1 then
    soon = turn.next & own ~= 0 and 0.3 or 0
  end
  local best, best_worth = 1, -9
  for i, option in ipairs(turn.options) do
    local lit, unlit = settled_in(turn, option)
    local free = (all - lit - unlit) / 2
    local dark = option.jack_seen == 0
    local value
    if not settled then
      local seen, unseen = lit + free, unlit + free
      value = 1 - (chance(seen_row, seen) + chance(unseen_row, unseen)) / 2
    elseif dark then
      value = 1 - chance(unseen_row, unlit + free)
    else
      value = 1 - chance(seen_row, lit + free)
    end
    if option.leavers & own ~= 0 then
      value = value + now
      if uncalled and turn.witness == 0 or not uncalled and dark then
        value = value + soon
      end
    end
    if taste then
      value = value + taste(turn, option)
    end
    if value > best_worth then
      best, best_worth = i, value
    end
  end
  return best, best_worth
end

-- The best option of the side to move. The tastes of a character, one for each side, tell between options that
-- are worth nearly the same; either may be nil.
function best_option(turn, taste_of_detective, taste_of_jack)
  if turn.side == "detective" then
    return detective(turn, taste_of_detective)
  end
  return jack(turn, taste_of_jack)
end
