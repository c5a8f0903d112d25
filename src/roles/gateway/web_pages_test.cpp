#include "roles/gateway/web_pages.h"

#include "tests/fixtures/net/http_fixture.h"

#include <doctest/doctest.h>

#include <array>

namespace muster::gateway {
namespace {

namespace http = net::http;
using http::test::run;

constexpr std::array files{
    web_asset{
        .path = "assets/index-1a2b.js",
        .media = "text/javascript",
        .etag = "aa",
        .named_by_content = true,
        .plain = "plain script",
        .gzip = "zipped",
        .brotli = "brotli"},
    web_asset{.path = "docs.html", .media = "text/html", .etag = "bb", .plain = "the docs"},
    web_asset{.path = "index.html", .media = "text/html", .etag = "cc", .plain = "the app"},
};

async<http::client_response> fetch(std::string url, http::field_list fields) {
    http::client through({.clock = &http::test::the_clock(), .tls = http::test::client_tls()});
    co_return co_await through.send({.url = std::move(url), .fields = std::move(fields)});
}

struct pages_site {
    std::unique_ptr<http::server> listening;

    pages_site() {
        auto routes = std::make_shared<http::router>();
        REQUIRE(web_pages(files).add_routes(*routes).has_value());
        std::vector<http::listener> listeners;
        listeners.push_back(
            {.address = {.host = "127.0.0.1", .port = 0},
             .tls = std::make_shared<net::rotating_tls_server>(
                 http::test::server_tls(http::test::server_identity())),
             .service = {.routes = std::move(routes)}});
        listening =
            http::server::start(
                {.listeners = std::move(listeners), .clock = &http::test::the_clock(), .loops = 1})
                .value();
    }

    http::client_response get(std::string_view path, http::field_list fields = {}) const {
        auto url = "https://127.0.0.1:" + std::to_string(listening->port(0)) + std::string(path);
        return run(fetch(std::move(url), std::move(fields))).value();
    }
};

TEST_CASE("every path of the application is its one page, and the root leads there") {
    const pages_site fixture;

    CHECK(fixture.get("/").status == 302);
    CHECK(fixture.get("/").field("Location") == "/ui/");
    for (const auto* const path : {"/ui", "/ui/", "/ui/search?q=tag%3Adb", "/ui/systems/web1.org"})
        CHECK(fixture.get(path).body == "the app");
    CHECK(fixture.get("/docs").body == "the docs");
}

TEST_CASE("a file that is not there is not the page") {
    const pages_site fixture;

    CHECK(fixture.get("/ui/assets/index-old.js").status == 404);
    CHECK(fixture.get("/ui/assets/../index.html").status == 404);
}

TEST_CASE("a file comes in the smallest form that the browser takes") {
    const pages_site fixture;
    const auto as = [&](const char* accepted) {
        return fixture.get("/ui/assets/index-1a2b.js", {{"Accept-Encoding", accepted}}).body;
    };

    CHECK(as("gzip, deflate, br, zstd") == "brotli");
    CHECK(as("gzip;q=0.5, br;q=0") == "zipped");
    CHECK(as("identity") == "plain script");
    CHECK(as("brown") == "plain script");
    CHECK(fixture.get("/ui/", {{"Accept-Encoding", "br"}}).body == "the app");
}

TEST_CASE("what is named by its content is kept for ever, the page is asked for again") {
    const pages_site fixture;
    const auto script = fixture.get("/ui/assets/index-1a2b.js", {{"Accept-Encoding", "br"}});
    const auto page = fixture.get("/ui/");

    CHECK(script.field("Cache-Control") == "public, max-age=31536000, immutable");
    CHECK(script.field("ETag") == "\"aa-br\"");
    CHECK(page.field("Cache-Control") == "no-cache");
    const auto again = fixture.get("/ui/", {{"If-None-Match", "\"cc\""}});
    CHECK(again.status == 304);
    CHECK(again.body.empty());
}

TEST_CASE("pages run nothing inline, load from nobody else, and stand in nobody's frame") {
    const auto page = pages_site().get("/ui/");
    const auto policy = std::string(page.field("Content-Security-Policy").value_or(""));

    CHECK_FALSE(policy.contains("unsafe"));
    CHECK_FALSE(policy.contains("http"));
    CHECK(policy.contains("default-src 'none'"));
    CHECK(policy.contains("frame-ancestors 'none'"));
    CHECK(page.field("X-Content-Type-Options") == "nosniff");
}

}  // namespace
}  // namespace muster::gateway
