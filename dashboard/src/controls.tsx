/** Buttons and text fields that ask the daemon for something, and show its refusal. */
import { useEffect, useId, useLayoutEffect, useRef, useState } from "react"
import { isReadOnly } from "./api.ts"
import { useDraft } from "./drafts.ts"
import { FileNames, fileInputProps } from "./file-input.tsx"
import { focusHeading } from "./heading.tsx"
import { useFleet, useIsLive } from "./live.ts"
import { addRefusal } from "./refusals.tsx"
import { NOT_LIVE, wordsOf } from "./request-error.ts"

/** After this time a person has read a refusal, even if its control disappears. */
const READ_MS = 5_000
/** The second click of a double click confirms nothing. */
const CONFIRM_MS_MIN = 500

type Failed = { readonly name: string; readonly text: string; readonly atMs: number }

/**
 * Runs one request at a time, while the daemon answers. A refusal moves above the page if its control
 * disappears.
 */
function useAct() {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState("")
  const isLive = useIsLive()
  const control = useRef<HTMLElement>(null)
  const failed = useRef<Failed>(undefined)
  const isGone = useRef(false)
  useLayoutEffect(() => {
    isGone.current = false
    const { current } = control
    return () => {
      isGone.current = true
      const last = failed.current
      if (last && Date.now() - last.atMs < READ_MS) addRefusal(last.name, last.text)
      // A control that disappears would take the focus with it.
      if (current?.contains(document.activeElement))
        setTimeout(() => isFocusLost() && focusHeading())
    }
  }, [])
  const isDisabled = isBusy || !isLive
  /** @returns false if it did not run or was refused. */
  const act = async (name: string, run: () => Promise<unknown>): Promise<boolean> => {
    if (isDisabled) return false
    setBusy(true)
    setError("")
    failed.current = undefined
    try {
      await run()
      return true
    } catch (failure) {
      const text = wordsOf(failure).replace(/^Error: /, "")
      if (isGone.current) addRefusal(name, text)
      else failed.current = { name, text, atMs: Date.now() }
      setError(text)
      return false
    } finally {
      setBusy(false)
    }
  }
  /** Not `disabled`, which would take the focus away. */
  const buttonProps = (isIdle = false) => ({
    "aria-disabled": isDisabled || isIdle || undefined,
    title: isLive ? undefined : NOT_LIVE,
  })
  return { isDisabled, buttonProps, error, act, control }
}

const isFocusLost = () =>
  document.activeElement === null || document.activeElement === document.body

const Failure = ({ error }: { readonly error: string }) => (
  <span role="alert" className={error && "error"}>
    {error}
  </span>
)

type ActProps = {
  readonly name: string
  readonly isMain?: boolean
  /** The button cannot do anything yet. */
  readonly isIdle?: boolean
  /** Asks once more, with these words on the button. */
  readonly confirm?: string
  run(): Promise<unknown>
}

export function Act({ name, isMain = false, isIdle = false, confirm, run }: ActProps) {
  const { isDisabled, buttonProps, error, act, control } = useAct()
  const [asking, setAsking] = useState<"no" | "soon" | "yes">("no")
  useEffect(() => {
    if (asking !== "soon") return undefined
    const timer = setTimeout(() => setAsking("yes"), CONFIRM_MS_MIN)
    return () => clearTimeout(timer)
  }, [asking])
  if (isReadOnly()) return null
  const isAsking = asking !== "no"
  const onClick = () => {
    if (isDisabled || isIdle || asking === "soon") return
    if (confirm && !isAsking) return setAsking("soon")
    setAsking("no")
    void act(name, run)
  }
  return (
    <>
      <button
        ref={control as React.Ref<HTMLButtonElement>}
        type="button"
        className={isMain ? "main" : isAsking ? "danger" : ""}
        {...buttonProps(isIdle || asking === "soon")}
        onClick={onClick}
        onBlur={() => setAsking("no")}
      >
        {isAsking ? confirm : name}
      </button>
      <Failure error={error} />
    </>
  )
}

type SayProps = {
  readonly label: string
  /** The task that the words are for. With the label, it names the draft. */
  readonly about: string
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
export function Say({ label, about, buttons, takesFiles = false }: SayProps) {
  const id = useId()
  const { home } = useFleet()
  const [text, setText] = useDraft(`${home} ${about} ${label}`)
  const [files, setFiles] = useState<readonly File[]>([])
  const { buttonProps, error, act, control } = useAct()
  const send = async ({ name, mayBeEmpty = false, run }: SayProps["buttons"][number]) => {
    if (!mayBeEmpty && !text.trim()) return
    if (!(await act(name, () => run(text.trim(), files)))) return
    setText("")
    setFiles([])
  }
  if (isReadOnly()) return null
  const [first] = buttons
  return (
    <form
      ref={control as React.Ref<HTMLFormElement>}
      className="say"
      onSubmit={(event) => {
        event.preventDefault()
        if (first) void send(first)
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
        {...(takesFiles && fileInputProps((more) => setFiles([...files, ...more])))}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
            event.currentTarget.form?.requestSubmit()
        }}
      />
      <FileNames files={files} field={id} onClear={() => setFiles([])} />
      {buttons.map((button, at) => (
        <button
          key={button.name}
          type={at === 0 ? "submit" : "button"}
          className={button.isMain ? "main" : ""}
          {...buttonProps(!button.mayBeEmpty && !text.trim())}
          onClick={at === 0 ? undefined : () => void send(button)}
        >
          {button.name}
        </button>
      ))}
      <Failure error={error} />
    </form>
  )
}
