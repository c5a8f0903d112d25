#include "apps/muster/cli/client.h"

#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace muster::cli {
namespace {

mode_t mode_of(const std::filesystem::path& file) {
    struct stat stat{};
    REQUIRE(::stat(file.c_str(), &stat) == 0);
    return stat.st_mode & static_cast<mode_t>(07777);
}

struct home {
    harness::temporary_directory directory{"client"};
    std::filesystem::path token = directory.path() / "deep" / "token";
    client_flags flags{
        .server = "https://muster-1:8443", .ca = "/ca.pem", .token_file = token.string()};
};

TEST_CASE("the token of a login is for its owner's eyes, whatever the umask and what was there") {
    home at;
    const auto before = ::umask(0);
    std::filesystem::create_directories(at.token.parent_path());
    std::ofstream(at.token) << "an older one";
    std::filesystem::permissions(at.token, std::filesystem::perms::all);

    const auto stored = store_login(resolve_context(at.flags), "s3cret");

    ::umask(before);
    REQUIRE(stored);
    CHECK(mode_of(at.token) == 0600);
    std::string text;
    std::ifstream(at.token) >> text;
    CHECK(text == "s3cret");
}

TEST_CASE("logging out forgets the token and remembers the cluster, also a second time") {
    home at;
    const auto where = resolve_context(at.flags);
    REQUIRE(store_login(where, "s3cret"));

    CHECK(remove_login(where));
    CHECK(remove_login(where));

    CHECK_FALSE(std::filesystem::exists(at.token));
    client_flags later;
    later.token_file = at.token.string();
    CHECK(resolve_context(later).server == "https://muster-1:8443");
    CHECK(resolve_context(later).ca == "/ca.pem");
}

TEST_CASE("who is not logged in is told how to, as not allowed") {
    home at;

    const auto response = call_api(resolve_context(at.flags), {.path = "/api/v1/me"});

    REQUIRE_FALSE(response);
    CHECK(response.error().code == exit_code::denied);
    CHECK(response.error().status == 0);
    CHECK(response.error().message.contains("muster login --user NAME"));
}

}  // namespace
}  // namespace muster::cli
