/** The document of `coppice trust`: what a home asks a person to approve. */
import { z } from "zod"

const item = z.object({
  /** A key of coppice.yml; a repository and a setting of its own git configuration. */
  where: z.string(),
  what: z.string(),
})

export const TrustDocument = z.object({
  home: z.string(),
  /** Of coppice.yml; null where there is none. */
  path: z.string().nullable(),
  /** Nothing is waiting for a person. */
  approved: z.boolean(),
  /** Everything that coppice.yml runs, makes and reads; for a changed one, every change since its approval. */
  config: z.array(item),
  changed: z.boolean(),
  /** Programs that the repositories' own git configurations name. */
  git: z.array(item),
})
export type TrustDocument = z.infer<typeof TrustDocument>
