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
  count?: number; // what the count is; undefined: not known yet
  noun?: string; // one such thing: "system"
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
  const completion = useMemo(
    () => complete(value, Math.min(caret, value.length), vocabulary),
    [value, caret, vocabulary],
  );
  const listOpen = open && completion.proposals.length > 0;

  useEffect(() => {
    if (autoFocus) box.current?.focus();
  }, [autoFocus]);

  const pick = (index: number) => {
    const proposal = completion.proposals[index];
    if (!proposal) return;
    const result = take(value, completion, proposal);
    onChange(result.text);
    setCaret(result.caret);
    setAt(-1);
    requestAnimationFrame(() => box.current?.setSelectionRange(result.caret, result.caret));
  };

  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    const last = completion.proposals.length - 1;
    if (event.key === "ArrowDown" && last >= 0) {
      event.preventDefault();
      setOpen(true);
      setAt((is) => (is >= last ? 0 : is + 1));
    } else if (event.key === "ArrowUp" && listOpen) {
      event.preventDefault();
      setAt((is) => (is <= 0 ? last : is - 1));
    } else if (event.key === "Tab" && listOpen && at >= 0) {
      event.preventDefault();
      pick(at);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (listOpen && at >= 0) {
        pick(at);
      } else {
        setOpen(false);
        onSubmit?.(value);
      }
    } else if (event.key === "Escape" && listOpen) {
      event.stopPropagation();
      setOpen(false);
      setAt(-1);
    }
  };

  const follow = () => setCaret(box.current?.selectionStart ?? value.length);
  const counted = props.noun ?? "system";
  return (
    <div className="query">
      <TextInputGroup validated={problem ? "error" : undefined}>
        <TextInputGroupMain
          icon={<SearchIcon />}
          inputId={id}
          innerRef={box}
          value={value}
          role="combobox"
          aria-label={props.label ?? "Query"}
          aria-controls={listId}
          aria-activedescendant={listOpen && at >= 0 ? `${listId}-${at}` : undefined}
          isExpanded={listOpen}
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
            {props.count === undefined
              ? ""
              : `${count(props.count)} ${counted}${props.count === 1 ? "" : "s"}`}
          </span>
          {value !== "" && (
            <Button
              variant="plain"
              aria-label="Clear query"
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
        className={listOpen ? "query-list" : "query-list query-list-hidden"}
        role="listbox"
        aria-label="Suggestions"
      >
        {listOpen &&
          completion.proposals.map((proposal, index) => (
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
