/** Splits a command that a person typed into words, as a shell does, without its expansions. Pure. */

type Split =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "refused"; readonly why: string }

const ESCAPED = /\\[\s\S]/
const PIECE = /\s+|"(?:[^"\\]|\\[\s\S])*"|'[^']*'|\\[\s\S]|[^\s"'\\]/y
/** Characters that only a shell would act on. */
const SHELL_ONLY = /^[|&;<>()`$*?#~]$/

/** Reads quotes and backslashes as a shell does, and nothing else. */
export function splitWords(text: string): Split {
  const words: string[] = []
  let word: string | undefined
  PIECE.lastIndex = 0
  for (let at = 0; at < text.length; at = PIECE.lastIndex) {
    const [piece] = PIECE.exec(text) ?? []
    if (piece === undefined) return { kind: "refused", why: "a quote is not closed" }
    if (SHELL_ONLY.test(piece) && !(word !== undefined && /[*?#~]/.test(piece)))
      return { kind: "refused", why: `no shell reads it, so \`${piece}\` must be in quotes` }
    if (/^\s/.test(piece)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? "") + unquoted(piece)
  }
  if (word !== undefined) words.push(word)
  return { kind: "words", words }
}

function unquoted(piece: string): string {
  if (piece.startsWith("'")) return piece.slice(1, -1)
  if (piece.startsWith('"')) return piece.slice(1, -1).replace(/\\(["\\$`])/g, "$1")
  return ESCAPED.test(piece) ? piece.slice(1) : piece
}
