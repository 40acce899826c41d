/** Finds the word that a user probably meant. */

/** More edits than this are another word, not a slip. */
const EDITS_MAX = 2

/** Fewer letters begin too many words. */
const BEGINNING_LETTERS_MIN = 3

/** The candidate nearest to `word`, else one that begins with it. Letter case does not count. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: distance(fold(word), fold(candidate)) }))
    .filter(({ candidate, edits }) => isNear(edits, candidate.length))
    .sort((a, b) => a.edits - b.edits)
  const begins = (candidate: string) => fold(candidate).startsWith(fold(word))
  const longer = fold(word).length < BEGINNING_LETTERS_MIN ? undefined : candidates.find(begins)
  return ranked[0]?.candidate ?? longer
}

/** At most two edits, and fewer than half of the letters; in a word of two letters, one. */
const isNear = (edits: number, letters: number): boolean =>
  edits <= EDITS_MAX && (edits < letters / 2 || (edits === 1 && letters === 2))

/** `maxTurns`, `max-turns` and `max_turns` are the same misspelling. */
function fold(word: string): string {
  return word.toLowerCase().replace(/[-_ ]/g, "")
}

/** Optimal string alignment distance, by rows: two transposed neighbours are one edit. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  let rowBefore: number[] = []
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const substituted = row[j]! + (letter === other ? 0 : 1)
      const isTransposed = i > 0 && j > 0 && letter === b[j - 1] && other === a[i - 1]
      const transposed = isTransposed ? rowBefore[j - 1]! + 1 : substituted
      next.push(Math.min(substituted, transposed, row[j + 1]! + 1, next[j]! + 1))
    }
    rowBefore = row
    row = next
  }
  return row.at(-1)!
}
