/** Files that go with a task: as they are sent, and as they are shown. */
import { z } from "zod"
import { LINE_CHARS_MAX } from "../../base/input-bounds.ts"
import { FILES_BYTES_MAX, FILES_MAX } from "../../kernel/tasks/rules/files.ts"

const SentFile = z.strictObject({
  name: z
    .string()
    .max(LINE_CHARS_MAX)
    .regex(/^\P{Cc}+$/u, "must be one line without control characters"),
  data: z.string().describe("Its bytes, in base64"),
})

const bytesOf = ({ data }: z.infer<typeof SentFile>): number => Math.floor((data.length * 3) / 4)

/** Bounded together, because one request holds them. */
export const SentFiles = z
  .array(SentFile)
  .max(FILES_MAX, `are more than ${FILES_MAX}: put them into an archive`)
  .refine(
    (files) => files.reduce((sum, file) => sum + bytesOf(file), 0) <= FILES_BYTES_MAX,
    `have more than ${FILES_BYTES_MAX} bytes in all: put large files into the repository`,
  )
export type SentFiles = z.infer<typeof SentFiles>

const fields = {
  id: z.string(),
  task: z.string(),
  name: z.string(),
  /** The type of an image that a browser may show; null: it is another file. */
  type: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]).nullable(),
  bytes: z.int(),
  by: z.enum(["person", "agent"]),
  at: z.iso.datetime(),
  /** Where it is kept. */
  path: z.string(),
}

/** The files of a task, oldest first. */
export const FilesDocument = z.object({ files: z.array(z.object(fields)) })
export type FilesDocument = z.infer<typeof FilesDocument>

/** A file with its bytes. No browser takes this answer for a page or an image. */
export const FileDocument = z.object({ ...fields, data: z.string() })
export type FileDocument = z.infer<typeof FileDocument>
