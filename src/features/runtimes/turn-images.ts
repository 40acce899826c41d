/** Reads the images of a turn for programs that take them in their protocol. */
import { findPlain } from "../../kernel/process/plain-file.ts"
import type { Turn, TurnImage } from "../../kernel/runtime/runtime.ts"

/** Models take no larger image, before base64. The agent reads such a one by its path. */
const IMAGE_BYTES_MAX = 3_750_000

/** @returns the images that can be sent, in base64. */
export function readImages({
  images = [],
}: Pick<Turn, "images">): (Pick<TurnImage, "type"> & { readonly data: string })[] {
  return images.flatMap(({ path, type }) => {
    const bytes = findPlain(path, { bytesMax: IMAGE_BYTES_MAX })
    return bytes === undefined ? [] : { type, data: bytes.toString("base64") }
  })
}
