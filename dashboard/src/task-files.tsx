/** The files of a task: images are shown, and all can be saved. */
import { useEffect, useState } from "react"
import { clean } from "../../src/core/text/shown.ts"
import { bytesText } from "../../src/core/text/sizes.ts"
import type { FilesDocument } from "../../src/core/wire/files.ts"
import { api } from "./api.ts"
import { addressOf } from "./files.ts"
import { useRead } from "./read.ts"

type TaskFile = FilesDocument["files"][number]

export function TaskFiles({ id }: { readonly id: string }) {
  const { document } = useRead(id, () => api.files(id))
  if (!document || document.files.length === 0) return null
  return (
    <section aria-label="Files">
      <h2>Files</h2>
      {document.files.map((file) => (
        <OneFile key={file.id} file={file} />
      ))}
    </section>
  )
}

/** Its bytes are read when a person asks for them. */
function OneFile({ file: { id, name, bytes, by, type } }: { readonly file: TaskFile }) {
  const [isOpen, setOpen] = useState(false)
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (!isOpen) return undefined
    let made: string | undefined
    let isGone = false
    void api.file(id).then((file) => {
      if (isGone) return
      made = addressOf(file)
      setAddress(made)
    })
    return () => {
      isGone = true
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [id, isOpen])
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {clean(name)} ({bytesText(bytes)}, {by})
      </summary>
      {address !== undefined && type !== null && (
        <img className="shot" src={address} alt={clean(name)} />
      )}
      {address !== undefined && (
        <a href={address} download={clean(name)}>
          Save {clean(name)}
        </a>
      )}
    </details>
  )
}
