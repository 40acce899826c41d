/** The files of a task: images are shown, and all can be saved. */
import { useEffect, useState } from "react"
import { clean } from "../../src/base/text/shown.ts"
import { bytesText } from "../../src/base/text/sizes.ts"
import type { FileDocument, FilesDocument } from "../../src/features/files/wire.ts"
import { api } from "./api.ts"
import { createObjectUrl } from "./files.ts"
import { NO_EVENT, useRead } from "./read.ts"

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

function OneFile({ file }: { readonly file: TaskFile }) {
  const { name, bytes, by } = file
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {clean(name)} ({bytesText(bytes)}, {by})
      </summary>
      {isOpen && <OpenFile file={file} />}
    </details>
  )
}

/** Reads the bytes, so it is shown only when a person opens the file. */
function OpenFile({ file: { id, name, type } }: { readonly file: TaskFile }) {
  const { document, error } = useRead(NO_EVENT, () => api.file(id))
  const url = useObjectUrl(document)
  if (error) return <p className="error">{error}</p>
  if (url === undefined) return <p className="quiet">Reading the file…</p>
  return (
    <>
      {type !== null && <img className="shot" src={url} alt={clean(name)} />}
      <a href={url} download={clean(name)}>
        Save {clean(name)}
      </a>
    </>
  )
}

/** A URL of the file's bytes. It works while the component shows this file. */
function useObjectUrl(file: FileDocument | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!file) return undefined
    const created = createObjectUrl(file)
    setUrl(created)
    return () => URL.revokeObjectURL(created)
  }, [file])
  return url
}
