/** Files that a person pastes or drops into a field, and the files of a task. */
import type { FileDocument, SentFiles } from "../../src/features/files/wire.ts"

/** @returns the files of a paste or a drop; none for text. */
export const filesIn = (data: DataTransfer): readonly File[] => [...data.files]

/** As a request has them. */
export async function sendable(files: readonly File[]): Promise<{ files?: SentFiles }> {
  if (files.length === 0) return {}
  return { files: await Promise.all(files.map(read)) }
}

async function read(file: File): Promise<SentFiles[number]> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += PART_BYTES)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + PART_BYTES)))
  return { name: file.name || "pasted", data: btoa(parts.join("")) }
}

/** A call takes no more arguments. */
const PART_BYTES = 32 * 1024

/**
 * A URL for this page alone, to be revoked. A file that is no image has no type that a browser would run.
 */
export function createObjectUrl({ data, type }: FileDocument): string {
  const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0))
  return URL.createObjectURL(new Blob([bytes], { type: type ?? "application/octet-stream" }))
}
