// The interactive description of the API, at /docs.
import "swagger-ui-dist/swagger-ui.css";
import "./docs.css";
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle";

// Changes that come with a cookie bring along a word that only our own pages can read.
let csrf = "";
async function learnCsrf() {
  if (localStorage.getItem("muster.entered") === null) return;
  const answer = await fetch("/api/v1/me", { headers: { Accept: "application/json" } });
  if (answer.ok) csrf = ((await answer.json()) as { csrf: string }).csrf;
}

void learnCsrf().finally(() =>
  SwaggerUI({
    url: "/openapi.json",
    dom_id: "#docs",
    deepLinking: true,
    docExpansion: "none",
    filter: true,
    tryItOutEnabled: true,
    validatorUrl: null,
    persistAuthorization: false,
    requestInterceptor: (request) => {
      if (csrf !== "") request.headers["X-Muster-CSRF"] = csrf;
      return request;
    },
  }),
);
