/** Files in a text field: pasted, dropped, named below it and removed. */
import { clean } from "../../src/base/text/shown.ts"
import { filesIn } from "./files.ts"

/** The properties of a text field that takes pasted and dropped files. Text goes on into the field. */
export const fileInputProps = (take: (files: readonly File[]) => void) => ({
  onPaste: (event: React.ClipboardEvent) => takeFrom(event, event.clipboardData, take),
  onDrop: (event: React.DragEvent) => takeFrom(event, event.dataTransfer, take),
  onDragOver: (event: React.DragEvent) => {
    if (event.dataTransfer.types.includes("Files")) event.preventDefault()
  },
})

function takeFrom(
  event: React.SyntheticEvent,
  data: DataTransfer,
  take: (files: readonly File[]) => void,
): void {
  const files = filesIn(data)
  if (files.length === 0) return
  event.preventDefault()
  take(files)
}

type FileNamesProps = {
  readonly files: readonly File[]
  /** Id of the text field, which takes the focus when the button disappears. */
  readonly field: string
  onClear(): void
}

/** The names of the files in a field, with a button that removes them. */
export function FileNames({ files, field, onClear }: FileNamesProps) {
  if (files.length === 0) return null
  const clear = () => {
    onClear()
    document.getElementById(field)?.focus()
  }
  return (
    <span className="quiet">
      With {files.map(({ name }) => clean(name)).join(", ")}{" "}
      <button type="button" onClick={clear}>
        Remove files
      </button>
    </span>
  )
}
