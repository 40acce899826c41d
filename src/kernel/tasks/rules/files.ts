/** Files that go with a task: those that a person sends its agent, and those that its agent reports. Pure. */

/** Files that go with one request. */
export const FILES_MAX = 10
/** All of them: several pictures of a screen. Larger material belongs in the repository. */
export const FILES_BYTES_MAX = 8 * 1024 * 1024

/** The types that agent programs take as images, and a browser shows. */
const IMAGES = [
  { type: "image/png", starts: /^\x89PNG\r\n\x1a\n/ },
  { type: "image/jpeg", starts: /^\xff\xd8\xff/ },
  { type: "image/gif", starts: /^GIF8[79]a/ },
  { type: "image/webp", starts: /^RIFF[^]{4}WEBP/ },
] as const
export type ImageType = (typeof IMAGES)[number]["type"]

/** No image begins with more. */
const START_BYTES = 12

/** Told by its first bytes, since anybody can name a file. */
export function imageType(bytes: Uint8Array): ImageType | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, START_BYTES))
  return IMAGES.find(({ starts }) => starts.test(start))?.type
}

/** Every file system takes 255 bytes. A letter has up to four, and a hash goes before the name. */
const NAME_LETTERS_MAX = 55

/** A name that is safe in every folder: not hidden, not a path, no white space. */
export function safeName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? ""
  const plain = last.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+/, "")
  return [...plain].slice(-NAME_LETTERS_MAX).join("") || "file"
}

/** Files that are written, and not recorded yet. */
export type KeptFiles = {
  readonly paths: readonly string[]
  /** Records them, in the caller's transaction. @param message the id of the message that they came with. */
  record(message: number | null): void
}

export const NO_FILES: KeptFiles = { paths: [], record: () => {} }

/** The message to an agent, with the places of the files that go with them. */
export function withPaths(text: string, paths: readonly string[]): string {
  if (paths.length === 0) return text
  const list = paths.map((path) => `- ${path}`).join("\n")
  return `${text}\n\nThese files go with that. They are for reading only:\n\n${list}`
}
