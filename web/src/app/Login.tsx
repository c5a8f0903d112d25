import { ActionGroup, Alert, Button, Form, FormGroup, TextInput } from "@patternfly/react-core";
import { type FormEvent, useState } from "react";
import { ApiError, api } from "../api/client";
import { AuthPageLayout } from "./AuthPageLayout";

export function loginProblem(failure: unknown): string {
  if (!(failure instanceof ApiError)) return "Unexpected error. Try again.";
  if (failure.status === 429) {
    const wait = failure.retryAfter ?? 60;
    return `Too many attempts. Try again in ${wait} ${wait === 1 ? "second" : "seconds"}.`;
  }
  if (failure.status === 401 || failure.status === 403)
    return "Wrong user name or password, or the user is locked. Several wrong passwords lock a user for a while; an administrator can unlock it.";
  return failure.message;
}

export function Login({ onEntered, ended }: { onEntered: () => Promise<void>; ended: boolean }) {
  const [user, setUser] = useState("");
  const [password, setPassword] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");

  const enter = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem("");
    try {
      await api.post("/api/v1/login", { user, password, cookie: true });
      await onEntered();
    } catch (failure) {
      setProblem(loginProblem(failure));
      setPassword("");
    } finally {
      setBusy(false);
    }
  };

  return (
    <AuthPageLayout title="Log in">
      <Form onSubmit={enter}>
        {ended && !problem && (
          <Alert variant="info" isInline title="Your session has expired">
            Log in to return to your page.
          </Alert>
        )}
        {problem && (
          <Alert variant="danger" isInline title="Login failed" component="h2">
            {problem}
          </Alert>
        )}
        <FormGroup label="User" fieldId="login-user" isRequired>
          <TextInput
            id="login-user"
            name="username"
            autoComplete="username"
            autoFocus
            isRequired
            value={user}
            onChange={(_, text) => setUser(text)}
          />
        </FormGroup>
        <FormGroup label="Password" fieldId="login-password" isRequired>
          <TextInput
            id="login-password"
            name="password"
            type="password"
            autoComplete="current-password"
            isRequired
            value={password}
            onChange={(_, text) => setPassword(text)}
          />
        </FormGroup>
        <ActionGroup>
          <Button
            type="submit"
            isBlock
            isLoading={busy}
            isDisabled={busy || user === "" || password === ""}
          >
            Log in
          </Button>
        </ActionGroup>
      </Form>
    </AuthPageLayout>
  );
}
