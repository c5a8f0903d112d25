// What login and the first change of a password look like.
import { Card, CardBody, CardHeader, CardTitle } from "@patternfly/react-core";
import type { ReactNode } from "react";
import { Brand } from "./Brand";

export function AuthPageLayout({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="entrance">
      <Card className="entrance-card" component="div">
        <CardHeader>
          <Brand />
        </CardHeader>
        <CardTitle component="h1">{title}</CardTitle>
        <CardBody>{children}</CardBody>
      </Card>
    </main>
  );
}
