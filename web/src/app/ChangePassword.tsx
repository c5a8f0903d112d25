import {
  ActionGroup,
  Alert,
  Button,
  Form,
  FormGroup,
  FormHelperText,
  HelperText,
  HelperTextItem,
  TextInput,
} from "@patternfly/react-core";
import { type FormEvent, useState } from "react";
import { ApiError, api } from "../api/client";
import { AuthPageLayout } from "./AuthPageLayout";

interface Props {
  user: string;
  onChanged: () => Promise<void>;
}

export function ChangePassword({ user, onChanged }: Props) {
  const [old, setOld] = useState("");
  const [next, setNext] = useState("");
  const [again, setAgain] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const differs = again !== "" && next !== again;

  const change = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem("");
    try {
      await api.post("/api/v1/me/password", { old, new: next });
      // The change ended every session, this one too.
      await api.post("/api/v1/login", { user, password: next, cookie: true });
      await onChanged();
    } catch (failure) {
      setProblem(failure instanceof ApiError ? failure.message : "Unexpected error. Try again.");
    } finally {
      setBusy(false);
    }
  };

  return (
    <AuthPageLayout title="Change password">
      <Form onSubmit={change}>
        <p>Your current password is temporary, {user}. Choose a new password to continue.</p>
        {problem && <Alert variant="danger" isInline title={problem} component="h2" />}
        <FormGroup label="Current password" fieldId="password-old" isRequired>
          <TextInput
            id="password-old"
            type="password"
            autoComplete="current-password"
            value={old}
            onChange={(_, text) => setOld(text)}
          />
        </FormGroup>
        <FormGroup label="New password" fieldId="password-new" isRequired>
          <TextInput
            id="password-new"
            type="password"
            autoComplete="new-password"
            value={next}
            onChange={(_, text) => setNext(text)}
          />
          <FormHelperText>
            <HelperText>
              <HelperTextItem>At least 12 characters, not counting your user name.</HelperTextItem>
            </HelperText>
          </FormHelperText>
        </FormGroup>
        <FormGroup label="Confirm new password" fieldId="password-again" isRequired>
          <TextInput
            id="password-again"
            type="password"
            autoComplete="new-password"
            validated={differs ? "error" : "default"}
            value={again}
            onChange={(_, text) => setAgain(text)}
          />
        </FormGroup>
        <ActionGroup>
          <Button
            type="submit"
            isBlock
            isLoading={busy}
            isDisabled={busy || old === "" || next === "" || next !== again}
          >
            Change password
          </Button>
        </ActionGroup>
      </Form>
    </AuthPageLayout>
  );
}
