/** How much a request may hold. */

/** A longer text belongs in a file that the prompt names. */
export const PROMPT_CHARS_MAX = 1_000_000
/** A title, or the name of an agent, repository, work item or task. */
export const LINE_CHARS_MAX = 500
/** The words that start a program. */
export const COMMAND_WORDS_MAX = 100
/** Any other text from a person. */
export const TEXT_CHARS_MAX = 100_000
/** A prompt of four bytes a character, and files in base64. */
export const REQUEST_BYTES_MAX = 16 * 1024 * 1024
/** Events or log lines of one answer; a reader asks page by page. */
export const PAGE_MAX = 500
