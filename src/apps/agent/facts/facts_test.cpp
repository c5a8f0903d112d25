#include "apps/agent/facts/fact_collector.h"
#include "tests/harness/temporary_directory.h"

#include <boost/json/parse.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

namespace muster::agent {
namespace {

// A file system with what a survey reads.
class machine {
public:
    machine() {
        write("etc/os-release", "NAME=\"Debian GNU/Linux\"\nID=debian\nVERSION_ID=\"12\"\n# x=y\n");
        write("etc/machine-id", "0123456789abcdef0123456789abcdef\n");
        write("etc/hosts", "127.0.0.1 localhost\n10.0.0.7 web1.acme.org web1 # front\n");
        write("proc/sys/kernel/hostname", "web1\n");
        write("proc/sys/kernel/random/boot_id", "b00t\n");
        write("proc/stat", "cpu 1 2 3\nbtime 1700000000\n");
        write(
            "proc/cpuinfo",
            "processor\t: 0\nmodel name\t: Fast CPU\nflags\t: fpu hypervisor\n\nprocessor\t: 1\n");
        write("proc/meminfo", "MemTotal:       2048 kB\nSwapTotal:         0 kB\n");
        write("proc/self/mounts", "/dev/sda1 / ext4 rw 0 0\ntmpfs /run tmpfs rw 0 0\n");
    }

    void write(const std::string& file, const std::string& text) const {
        const auto at = root() / file;
        std::filesystem::create_directories(at.parent_path());
        std::ofstream(at) << text;
    }

    std::filesystem::path root() const { return home_.path(); }
    collected_facts surveyed() const {
        return collect_facts({.root = root(), .directory = root() / "facts.d"});
    }

private:
    harness::temporary_directory home_{"facts"};
};

TEST_CASE("a machine says what it is, and every value is JSON") {
    const machine web1;

    const auto match = web1.surveyed();

    CHECK(match.problems.empty());
    CHECK(match.values.at("os.name") == "\"Debian GNU/Linux\"");
    CHECK(match.values.at("os.id") == "\"debian\"");
    CHECK(match.values.at("hostname") == "\"web1\"");
    CHECK(match.values.at("fqdn") == "\"web1.acme.org\"");
    CHECK(match.values.at("machine_id") == "\"0123456789abcdef0123456789abcdef\"");
    CHECK(match.values.at("cpu.model") == "\"Fast CPU\"");
    CHECK(match.values.at("cpu.count") == "2");
    CHECK(match.values.at("memory.total") == "2097152");
    CHECK(match.values.at("boot.time") == "1700000000");
    CHECK(match.values.at("virtual.kind") == "\"machine\"");
    CHECK(match.values.at("disks./.device") == "\"/dev/sda1\"");
    CHECK_FALSE(match.values.contains("disks./run.device"));
    CHECK(match.values.at("agent.version") == "\"" MUSTER_VERSION "\"");
    for (const auto& [path, value] : match.values) {
        CAPTURE(path);
        boost::json::error_code failure;
        boost::json::parse(value, failure);
        CHECK_FALSE(failure);
    }
}

TEST_CASE("a system tells the limits that its agent keeps to, of those that it has") {
    const machine web1;

    const auto match = collect_facts(
        {.root = web1.root(), .limits = {.running_max = 4, .free_memory_min = 268'435'456}});

    CHECK(match.values.at("agent.tasks.running_max") == "4");
    CHECK(match.values.at("agent.tasks.free_memory_min") == "268435456");
    CHECK_FALSE(match.values.contains("agent.tasks.load_max_percent"));
}

TEST_CASE("two surveys of the same machine are equal, so nothing is sent for nothing") {
    const fact_options here;

    CHECK(collect_facts(here).values == collect_facts(here).values);
}

TEST_CASE("files of facts.d add facts in three ways and overwrite none") {
    const machine web1;
    web1.write("facts.d/a.json", R"({"role": "db", "rack": {"row": 4, "slots": [1, 2]}})");
    web1.write("facts.d/b.yaml", "owner: Anna\nnumber: 7\ntext: '7'\nnested:\n  deep: true\n");
    web1.write("facts.d/c.txt", "# comment\ncontract=2031-05-04\nos.id=windows\n");
    web1.write("facts.d/d.sh", "exit 1");

    const auto match = web1.surveyed();

    CHECK(match.values.at("role") == "\"db\"");
    CHECK(match.values.at("rack.row") == "4");
    CHECK(match.values.at("rack.slots") == "[1,2]");
    CHECK(match.values.at("owner") == "\"Anna\"");
    CHECK(match.values.at("number") == "7");
    CHECK(match.values.at("text") == "\"7\"");
    CHECK(match.values.at("nested.deep") == "true");
    CHECK(match.values.at("contract") == "\"2031-05-04\"");
    CHECK(match.values.at("os.id") == "\"debian\"");
    CHECK(match.problems == std::vector<std::string>{"fact \"os.id\" already exists"});
}

TEST_CASE("a file that is wrong, large or full of facts costs itself and nothing else") {
    const machine web1;
    web1.write("facts.d/a.json", "{\"broken\"");
    web1.write("facts.d/b.yaml", "a: &x 1\nb: *x\n");
    web1.write("facts.d/c.txt", "no equals sign\n");
    web1.write("facts.d/d.txt", "big=" + std::string(fact_limits::file_bytes_max, 'x'));
    web1.write("facts.d/e.txt", "latin=\xe4\n");
    std::string many;
    for (int number = 0; number < 2000; ++number) many += "fact" + std::to_string(number) + "=1\n";
    web1.write("facts.d/f.txt", many);
    web1.write("facts.d/g.json", "[1]");

    const auto match = web1.surveyed();

    CHECK(match.values.size() == fact_limits::facts_max);
    CHECK(match.values.at("os.id") == "\"debian\"");
    CHECK_FALSE(match.values.contains("latin"));
    for (const auto* file : {"a.json", "b.yaml", "c.txt", "d.txt"}) {
        CAPTURE(file);
        CHECK(std::ranges::any_of(
            match.problems, [&](const auto& each) { return each.contains(file); }));
    }
}

TEST_CASE("a file system with nothing in it gives few facts and no failure") {
    const harness::temporary_directory empty("facts");

    const auto match = collect_facts({.root = empty.path(), .directory = empty.path() / "none"});

    CHECK(match.problems.empty());
    CHECK(match.values.contains("kernel.release"));
    CHECK_FALSE(match.values.contains("hostname"));
}

}  // namespace
}  // namespace muster::agent
