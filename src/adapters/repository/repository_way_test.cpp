// Where a repository may be, and where it may lead to.

#include "adapters/repository/address.h"
#include "adapters/repository/repository_reader.h"
#include "tests/fixtures/net/http_fixture.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>

namespace muster::repository {
namespace {

namespace fs = std::filesystem;
namespace http = net::http;
using harness::run_sync;

// Answers of two doors of one server: what is in the table leads elsewhere, the rest is no index.
struct mirror {
    std::map<std::string, std::string> leads;  // from path to location
    std::unique_ptr<http::server> running;

    async<http::response> answer(http::request request) {
        const auto it = leads.find(std::string(request.path()));
        if (it == leads.end()) co_return http::text(200, "no index");
        co_return http::response{.status = 302, .fields = {{"location", it->second}}};
    }

    mirror() {
        auto routes = std::make_shared<http::router>();
        REQUIRE(routes
                    ->add("GET", "/{rest...}", {[this](http::request request) {
                              return answer(std::move(request));
                          }})
                    .has_value());
        std::vector<http::listener> doors;
        doors.push_back(
            {.address = {.host = "127.0.0.1", .port = 0},
             .tls = std::make_shared<net::rotating_tls_server>(
                 http::test::server_tls(http::test::server_identity())),
             .service = {.routes = routes}});
        doors.push_back(
            {.address = {.host = "127.0.0.1", .port = 0},
             .tls = nullptr,
             .service = {.routes = routes}});
        running =
            http::server::start(
                {.listeners = std::move(doors), .clock = &http::test::the_clock(), .loops = 1})
                .value();
    }

    std::string in_tls(const std::string& path) const {
        return "https://127.0.0.1:" + std::to_string(running->port(0)) + path;
    }
    std::string plain(const std::string& path) const {
        return "http://127.0.0.1:" + std::to_string(running->port(1)) + path;
    }
};

struct place {
    harness::temporary_directory home{"repository"};
    mirror far;
    bool loopback = true;

    error read(const std::string& url, std::vector<fs::path> directories = {}) {
        const auto authorities = home.path() / "authorities.pem";
        std::ofstream(authorities) << http::test::cluster_ca().certificate().to_pem();
        repository_reader reader(
            http::test::the_clock(),
            {.authorities = authorities,
             .directories = std::move(directories),
             .addresses = {.allow_loopback = loopback}});
        const source from{.layout = packages::family::rpm, .url = url};
        auto match = run_sync(reader.read(from, [](const std::string&) {}));
        REQUIRE(!match);
        return match.error();
    }
};

constexpr const char* index = "/repodata/repomd.xml";
constexpr const char* reached = "repomd.xml is not a repository index";

TEST_CASE("redirects are followed: relative ones, and from http to https") {
    place fixture;
    fixture.far.leads["/one/repodata/repomd.xml"] = "/two" + std::string(index);
    fixture.far.leads["/three/repodata/repomd.xml"] = "other.xml";
    fixture.far.leads["/four/repodata/repomd.xml"] = fixture.far.in_tls(index);
    for (const char* each : {"/one", "/three", "/four", ""}) {
        CAPTURE(each);
        CHECK(fixture.read(fixture.far.plain(each)).detail().contains(reached));
    }
    CHECK(fixture.read(fixture.far.in_tls("")).detail().contains(reached));
}

TEST_CASE("a repository neither leads from https to http nor in a circle") {
    place fixture;
    fixture.far.leads["/one/repodata/repomd.xml"] = fixture.far.plain(index);
    fixture.far.leads["/two/repodata/repomd.xml"] = "/two" + std::string(index);
    CHECK(fixture.read(fixture.far.in_tls("/one")).detail().contains("from https to http"));
    CHECK(fixture.read(fixture.far.plain("/two")).detail().contains("too many redirects"));
}

TEST_CASE("no address and no redirect leads to where a server may not be sent to") {
    place fixture;
    fixture.loopback = false;
    const auto refused = fixture.read(fixture.far.plain(""));
    CHECK(refused.detail().contains("not allowed for outbound requests"));
    fixture.loopback = true;
    fixture.far.leads["/one/repodata/repomd.xml"] = "http://169.254.169.254/latest";
    CHECK(fixture.read(fixture.far.plain("/one"))
              .detail()
              .contains("not allowed for outbound requests"));
}

TEST_CASE("a directory is read only below those that the operator named, whatever links say") {
    place fixture;
    const auto allowed = fixture.home.path() / "srv";
    const auto secret = fixture.home.path() / "secret";
    for (const auto& each : {allowed / "repo", secret}) {
        fs::create_directories(each / "repodata");
        std::ofstream(each / "repodata/repomd.xml") << "no index";
    }
    fs::create_directory_symlink(secret, allowed / "link");
    CHECK(fixture.read(allowed / "repo", {allowed}).detail().contains(reached));
    for (const auto& each : {secret, allowed / "link"}) {
        CAPTURE(each.string());
        const auto refused = fixture.read(each, {allowed});
        CHECK(refused.code() == errc::invalid);
        CHECK(refused.detail().contains("content.directories"));
    }
    CHECK(fixture.read(allowed / "repo").detail().contains("content.directories"));
}

TEST_CASE("what an answer leads to may leave out what stays as it is") {
    const auto to = [](const char* from, const char* location) {
        return resolve_redirect(from, location).value_or("nowhere");
    };
    CHECK(to("http://a/b/c", "https://d/e") == "https://d/e");
    CHECK(to("https://a:8/b/c", "//d/e") == "https://d/e");
    CHECK(to("https://a:8/b/c?q", "/e#part") == "https://a:8/e");
    CHECK(to("https://a/b/c?q=/", "e") == "https://a/b/e");
    CHECK(to("https://a/b", "?e") == "https://a/b?e");
    CHECK(to("https://a", "e") == "https://a/e");
    CHECK(to("https://a/b", "file:///etc/passwd") == "nowhere");
    CHECK(to("https://a/b", "") == "nowhere");
}

}  // namespace
}  // namespace muster::repository
