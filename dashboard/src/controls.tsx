/** Buttons and text fields that ask the daemon for something, and show its refusal. */
import { useId, useState } from "react"
import { isReadOnly } from "./api.ts"
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
    run(text: string): Promise<unknown>
  }[]
}

/** A text with buttons. Ctrl or ⌘ with Return presses the first one. */
export function Say({ label, buttons }: SayProps) {
  const id = useId()
  const [text, setText] = useState("")
  const { isBusy, error, act } = useAct()
  const send = async (run: (text: string) => Promise<unknown>) => {
    if (await act(() => run(text.trim()))) setText("")
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
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
            event.currentTarget.form?.requestSubmit()
        }}
      />
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
