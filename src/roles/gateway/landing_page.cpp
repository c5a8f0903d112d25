#include "roles/gateway/landing_page.h"

#include <fmt/format.h>

#include <iterator>

namespace muster::gateway {
namespace {

constexpr auto document = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>muster: {0}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem;
  color: #1a1f24; background: #fff }}
h1 {{ font-size: 1.5rem }} table {{ border-collapse: collapse }}
td, th {{ text-align: left; padding: .25rem 1.5rem .25rem 0 }}
code {{ background: #eef1f4; padding: .1rem .3rem; border-radius: .2rem }}
@media (prefers-color-scheme: dark) {{ body {{ color: #e6e9ec; background: #14181c }}
  code {{ background: #262c33 }} a {{ color: #7db7ff }} }}
</style>
</head>
<body>
<main>
<h1>muster</h1>
<p>Server <strong>{0}</strong>, version {1}, is <strong>{2}</strong>.</p>
<table>
<caption hidden>Engines</caption>
<thead><tr><th scope="col">Engine</th><th scope="col">State</th></tr></thead>
<tbody>
{3}</tbody>
</table>
<p>The API is under <code>/api/v1</code>. Log in with <code>muster login</code>.</p>
<p><a href="/readyz">Readiness</a> <a href="/healthz">Health</a></p>
</main>
</body>
</html>
)";

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char letter : text) {
        switch (letter) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            default:
                safe += letter;
        }
    }
    return safe;
}

}  // namespace

std::string landing_page(const std::string& server, const cluster::readiness::report& state) {
    std::string rows;
    for (const auto each : cluster::all_engines) {
        fmt::format_to(
            std::back_inserter(rows),
            "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
            to_string(each),
            state.of(each).reachable ? "answers" : "does not answer");
    }
    const auto condition = state.ready() ? std::string_view("ready") : to_string(state.now);
    return fmt::format(
        document,
        escaped(server),
        MUSTER_VERSION,
        state.now == cluster::stage::serving && !state.ready() ? "not ready" : condition,
        rows);
}

}  // namespace muster::gateway
