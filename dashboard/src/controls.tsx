/** Buttons and text fields that ask the daemon for something, and show its refusal. */
import { useId, useState } from "react"
import { clean } from "../../src/core/shown.ts"
import { isReadOnly } from "./api.ts"
import { filesIn } from "./files.ts"
import { wordsOf } from "./live.ts"

/** Runs one request at a time. */
function useAct() {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState("")
  const act = async (run: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true)
    setError("")
    try {
      await run()
      return true
    } catch (failure) {
      setError(wordsOf(failure).replace(/^Error: /, ""))
      return false
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, error, act }
}

const Failure = ({ error }: { readonly error: string }) => (
  <span role="alert" className={error && "error"}>
    {error}
  </span>
)

type ActProps = {
  readonly name: string
  readonly isMain?: boolean
  /** Asks once more, with these words on the button. */
  readonly confirm?: string
  run(): Promise<unknown>
}

export function Act({ name, isMain = false, confirm, run }: ActProps) {
  const { isBusy, error, act } = useAct()
  const [isAsking, setAsking] = useState(false)
  if (isReadOnly()) return null
  const onClick = () => {
    if (confirm && !isAsking) return setAsking(true)
    setAsking(false)
    void act(run)
  }
  return (
    <>
      <button
        type="button"
        className={isMain ? "main" : isAsking ? "danger" : ""}
        disabled={isBusy}
        onClick={onClick}
        onBlur={() => setAsking(false)}
      >
        {isAsking ? confirm : name}
      </button>
      <Failure error={error} />
    </>
  )
}

type SayProps = {
  readonly label: string
  readonly buttons: readonly {
    readonly name: string
    readonly isMain?: boolean
    readonly mayBeEmpty?: boolean
    run(text: string, files: readonly File[]): Promise<unknown>
  }[]
  /** Whether the words may have files, pasted or dropped. */
  readonly takesFiles?: boolean
}

/** A text with buttons. Ctrl or ⌘ with Return presses the first one. */
export function Say({ label, buttons, takesFiles = false }: SayProps) {
  const id = useId()
  const [text, setText] = useState("")
  const [files, setFiles] = useState<readonly File[]>([])
  const { isBusy, error, act } = useAct()
  const send = async (run: SayProps["buttons"][number]["run"]) => {
    if (!(await act(() => run(text.trim(), files)))) return
    setText("")
    setFiles([])
  }
  if (isReadOnly()) return null
  const [first] = buttons
  return (
    <form
      className="say"
      onSubmit={(event) => {
        event.preventDefault()
        if (first && (first.mayBeEmpty || text.trim())) void send(first.run)
      }}
    >
      <label htmlFor={id} className="hidden">
        {label}
      </label>
      <textarea
        id={id}
        rows={1}
        placeholder={label}
        value={text}
        onChange={({ target }) => setText(target.value)}
        {...(takesFiles && takingFiles((more) => setFiles([...files, ...more])))}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
            event.currentTarget.form?.requestSubmit()
        }}
      />
      <FileNames files={files} onClear={() => setFiles([])} />
      {buttons.map(({ name, isMain = false, mayBeEmpty = false, run }, at) => (
        <button
          key={name}
          type={at === 0 ? "submit" : "button"}
          className={isMain ? "main" : ""}
          disabled={isBusy || (!mayBeEmpty && !text.trim())}
          onClick={at === 0 ? undefined : () => void send(run)}
        >
          {name}
        </button>
      ))}
      <Failure error={error} />
    </form>
  )
}

/** The properties of a field that takes pasted and dropped files. Text goes on into the field. */
export const takingFiles = (take: (files: readonly File[]) => void) => ({
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

type FileNamesProps = { readonly files: readonly File[]; onClear(): void }

export function FileNames({ files, onClear }: FileNamesProps) {
  if (files.length === 0) return null
  return (
    <span className="quiet">
      With {files.map(({ name }) => clean(name)).join(", ")}{" "}
      <button type="button" onClick={onClear}>
        Without files
      </button>
    </span>
  )
}
