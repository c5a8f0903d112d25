#pragma once

// An agent of the compatible API's friends that sells: a repository, what is installed, and who
// changes it are made here.
#include "tests/fixtures/content/repository_builder.h"
#include "tests/integration/xmlrpc_client_fixture.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace muster::integration {

using content::test::advisory;
using content::test::made_package;
using content::test::make_rpm_repository;
using content::test::write;

inline const std::vector<made_package> shop{
    {.name = "till", .version = "1.0"},
    {.name = "till", .version = "1.0", .release = "2"},
    {.name = "scale", .version = "3.0"}};

// An agent whose machine has what a file says, and whose packages are changed by a program that
// writes down how it was called.
struct xmlrpc_packages_fixture : xmlrpc_client_fixture {
    std::filesystem::path repository = home.path() / "repo";
    std::filesystem::path installed = home.path() / "installed";
    std::filesystem::path called = home.path() / "called";
    std::filesystem::path manager = home.path() / "dnf";

    xmlrpc_packages_fixture() {
        make_rpm_repository(repository, shop, advisory("SHOP-1", "CVE-2026-1", shop[1]));
        write(installed, "till\t(none)\t1.0\t1\tnoarch\nown\t(none)\t1\t1\tnoarch\n");
        write(
            manager,
            "#!/bin/sh\necho \"$@\" >> " + called.string() + R"(
sed -i 's/^till.*/till\t(none)\t1.0\t2\tnoarch/' )"
                + installed.string() + "\n");
        std::filesystem::permissions(manager, std::filesystem::perms::owner_all);
        agent.reset();
        start_agent();
    }

    void start_agent() {
        agent = std::make_unique<harness::process>(harness::command{
            .argv =
                {MUSTER_AGENT_PROGRAM,
                 "run",
                 "--server",
                 "https://127.0.0.1:" + std::to_string(server.port()),
                 "--ca",
                 server.data() / "ca.pem",
                 "--data",
                 home.path() / "web1",
                 "--name",
                 "web1",
                 "--poll-interval",
                 "1s",
                 "--retry-max",
                 "1s",
                 "--packages-family",
                 "rpm",
                 "--packages-command",
                 "/bin/cat " + installed.string(),
                 "--packages-manager",
                 manager},
            .environment = {},
            .output = home.path() / "web1.log",
            .user = {}});
    }

    // With the repository's address and the system's number at hand.
    std::string python(const std::string& script) const {
        return xmlrpc_client_fixture::python(
            "repository = '" + repository.string()
            + "'\nsid = (server.system.getId(key, 'web1') or [{'id': 0}])[0]['id']\n"
              "def done():\n"
              "    return [a['id'] for a in server.schedule.listCompletedActions(key)]\n"
            + script);
    }
};

}  // namespace muster::integration
