// A box for expressions: completion by keyboard, the count while typing, errors with their place.
import {
  Button,
  TextInputGroup,
  TextInputGroupMain,
  TextInputGroupUtilities,
} from "@patternfly/react-core";
import SearchIcon from "@patternfly/react-icons/dist/esm/icons/search-icon";
import TimesIcon from "@patternfly/react-icons/dist/esm/icons/times-icon";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { markedBy } from "../api/query";
import { type CompletionTerms, complete, take } from "./completion";
import { count } from "./format";

interface Props {
  value: string;
  onChange: (text: string) => void;
  onSubmit?: (text: string) => void;
  vocabulary: CompletionTerms;
  id?: string;
  label?: string;
  placeholder?: string;
  found?: number; // what the count is; undefined: not known yet
  counted?: string; // one such thing: "system"
  problem?: string; // what is wrong with the expression
  autoFocus?: boolean;
}

export function QueryBox(props: Props) {
  const { value, onChange, onSubmit, vocabulary, id = "query", problem, autoFocus } = props;
  const listId = useId();
  const box = useRef<HTMLInputElement>(null);
  const [caret, setCaret] = useState(value.length);
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const offered = useMemo(
    () => complete(value, Math.min(caret, value.length), vocabulary),
    [value, caret, vocabulary],
  );
  const shown = open && offered.proposals.length > 0;

  useEffect(() => {
    if (autoFocus) box.current?.focus();
  }, [autoFocus]);

  const pick = (index: number) => {
    const proposal = offered.proposals[index];
    if (!proposal) return;
    const made = take(value, offered, proposal);
    onChange(made.text);
    setCaret(made.caret);
    setAt(-1);
    requestAnimationFrame(() => box.current?.setSelectionRange(made.caret, made.caret));
  };

  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    const last = offered.proposals.length - 1;
    if (event.key === "ArrowDown" && last >= 0) {
      event.preventDefault();
      setOpen(true);
      setAt((is) => (is >= last ? 0 : is + 1));
    } else if (event.key === "ArrowUp" && shown) {
      event.preventDefault();
      setAt((is) => (is <= 0 ? last : is - 1));
    } else if (event.key === "Tab" && shown && at >= 0) {
      event.preventDefault();
      pick(at);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (shown && at >= 0) {
        pick(at);
      } else {
        setOpen(false);
        onSubmit?.(value);
      }
    } else if (event.key === "Escape" && shown) {
      event.stopPropagation();
      setOpen(false);
      setAt(-1);
    }
  };

  const follow = () => setCaret(box.current?.selectionStart ?? value.length);
  const counted = props.counted ?? "system";
  return (
    <div className="query">
      <TextInputGroup validated={problem ? "error" : undefined}>
        <TextInputGroupMain
          icon={<SearchIcon />}
          inputId={id}
          innerRef={box}
          value={value}
          role="combobox"
          aria-label={props.label ?? "Expression"}
          aria-controls={listId}
          aria-activedescendant={shown && at >= 0 ? `${listId}-${at}` : undefined}
          isExpanded={shown}
          placeholder={props.placeholder ?? "web*  tag:db and not state:orphan"}
          autoComplete="off"
          onChange={(_, text) => {
            onChange(text);
            setOpen(true);
            setAt(-1);
            requestAnimationFrame(follow);
          }}
          onKeyDown={(event) => press(event as KeyboardEvent<HTMLInputElement>)}
          onKeyUp={follow}
          onClick={follow}
          onBlur={() => setOpen(false)}
          inputProps={{
            spellCheck: false,
            autoCapitalize: "none",
            "aria-autocomplete": "list",
            "aria-invalid": problem ? true : undefined,
            "aria-describedby": `${id}-told`,
          }}
        />
        <TextInputGroupUtilities>
          <span className="query-count" aria-live="polite">
            {props.found === undefined
              ? ""
              : `${count(props.found)} ${counted}${props.found === 1 ? "" : "s"}`}
          </span>
          {value !== "" && (
            <Button
              variant="plain"
              aria-label="Clear"
              icon={<TimesIcon />}
              onClick={() => {
                onChange("");
                onSubmit?.("");
                box.current?.focus();
              }}
            />
          )}
        </TextInputGroupUtilities>
      </TextInputGroup>
      <div id={`${id}-told`}>{problem && <ProblemLine text={value} problem={problem} />}</div>
      <ul
        id={listId}
        className={shown ? "query-list" : "query-list query-list-hidden"}
        role="listbox"
        aria-label="Proposals"
      >
        {shown &&
          offered.proposals.map((proposal, index) => (
            <li
              key={proposal.text}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === at}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => pick(index)}
            >
              <code>{proposal.text.trim()}</code>
              <span className="quiet">{proposal.about}</span>
            </li>
          ))}
      </ul>
    </div>
  );
}

function ProblemLine({ text, problem }: { text: string; problem: string }) {
  const marked = markedBy(text, problem);
  return (
    <div className="query-problem" role="status">
      {marked && (
        <code aria-hidden="true">
          {marked.before}
          <mark>{marked.mark}</mark>
          {marked.after}
        </code>
      )}
      <span>{marked?.message ?? problem}</span>
    </div>
  );
}
