/** How many words a text has. */
export function countWords(text) {
  return text.split(" ").length
}
