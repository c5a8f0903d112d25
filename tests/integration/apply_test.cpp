// `muster apply`: a real agent is brought to its configuration channels.

#include "tests/integration/xmlrpc_client_fixture.h"

#include <filesystem>
#include <fstream>

namespace muster::integration {
namespace {

namespace fs = std::filesystem;

TEST_CASE("muster apply says what it would write, writes it, and says who has nothing to write") {
    xmlrpc_client_fixture here;
    here.take_in();
    const auto place = here.home.path() / "applied";
    fs::create_directories(place);
    const auto file = place / "motd";
    CHECK(here.server.cli({"apply", "name:web1"}).output.contains("no"));  // no files yet
    here.python("path = '" + file.string() + R"('
number = server.system.getId(key, "web1")[0]["id"]
server.configchannel.create(key, "motd", "Motd", "for all")
server.configchannel.createOrUpdatePath(key, "motd", path, False, {
    "contents": "hello\n", "owner": "", "group": "", "permissions": "644"})
assert server.system.config.addChannels(key, [number], ["motd"], False) == 1
)");

    const auto tried = here.server.cli({"apply", "name:web1", "--dry-run"});
    CHECK_MESSAGE(tried.exit_code == 0, tried.output);
    CHECK_MESSAGE(tried.output.contains("differs"), tried.output);
    CHECK_FALSE(fs::exists(file));
    const auto done = here.server.cli({"apply", "*", "--channel", "motd", "--note", "first"});
    CHECK_MESSAGE(done.exit_code == 0, done.output);
    CHECK(text_of(file) == "hello\n");
    CHECK(here.server.cli({"apply", "name:web1", "--channel", "other"}).exit_code != 0);
    CHECK(here.server.cli({"apply", "name:web1 and"}).exit_code == 2);

    CHECK(here.server.cli({"windows", "add", "--none", "frozen"}).exit_code == 0);
    CHECK(here.server.cli({"windows", "assign", "frozen", "name:web1"}).exit_code == 0);
    const auto late = here.server.cli({"apply", "name:web1", "--channel", "motd", "--async"});
    CHECK_MESSAGE(late.exit_code == 0, late.output);
    CHECK_MESSAGE(late.output.contains("no suitable window"), late.output);
}

}  // namespace
}  // namespace muster::integration
