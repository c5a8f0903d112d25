declare module "swagger-ui-dist/swagger-ui-es-bundle" {
  interface Options {
    url: string;
    dom_id: string;
    deepLinking?: boolean;
    docExpansion?: "list" | "full" | "none";
    filter?: boolean;
    tryItOutEnabled?: boolean;
    validatorUrl?: string | null;
    persistAuthorization?: boolean;
    requestInterceptor?: <R extends { headers: Record<string, string> }>(request: R) => R;
  }
  export default function SwaggerUI(options: Options): unknown;
}
