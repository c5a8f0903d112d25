#include "adapters/repository/address.h"
#include "adapters/repository/metadata.h"
#include "adapters/repository/repository_reader.h"
#include "runtime/clock.h"
#include "tests/fixtures/content/repository_builder.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <zstd.h>

namespace muster::repository {
namespace {

namespace fs = std::filesystem;
using namespace content::test;
using harness::run_sync;
using packages::family;

std::string load(const fs::path& file) {
    std::ifstream from(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(from), {}};
}

struct place {
    harness::temporary_directory home{"repository"};
    runtime::system_clock clock;
    fs::path where = home.path() / "repo";

    result<contents> read(family layout, repository_limits limits = {}, const fs::path& at = {}) {
        repository_reader reader(clock, {.limits = limits, .directories = {home.path()}});
        return run_sync(reader.read(
            {.layout = layout, .url = (at.empty() ? where : at).string(), .arch = "amd64"},
            [](const std::string&) {}));
    }
    // The file that the index names, of this kind.
    fs::path file(const std::string& kind) const {
        const auto index = read_repomd(load(where / "repodata/repomd.xml")).value();
        return where / (kind == "primary" ? index.primary.path : index.updateinfo->path);
    }
};

const std::vector<made_package> shop{
    {.name = "till", .version = "1.0"},
    {.name = "till", .version = "1.0", .release = "2"},
    {.name = "scale", .version = "1~rc1", .epoch = "2"}};

TEST_CASE("what createrepo_c makes is read: packages, errata, in every packing") {
    for (const std::string packing : {"gz", "xz", "bz2"}) {
        CAPTURE(packing);
        place fixture;
        make_rpm_repository(
            fixture.where, shop, advisory("SHOP-1", "CVE-2026-1", shop[1]), packing);
        const auto match = fixture.read(family::rpm);
        REQUIRE_MESSAGE(match.has_value(), to_string(match.error()));
        REQUIRE(match->packages.size() == 3);
        CHECK(match->skipped == 0);
        CHECK(match->revision.size() == 64);
        const auto scale = std::ranges::find(
            match->packages, "scale", [](const repository_package& repository_package) {
                return repository_package.package.name;
            });
        REQUIRE(scale != match->packages.end());
        CHECK(
            scale->package.at
            == packages::edition{.epoch = "2", .version = "1~rc1", .release = "1"});
        CHECK(scale->package.arch == "noarch");
        CHECK(scale->checksum_type == "sha256");
        CHECK(scale->checksum.size() == 64);
        CHECK(scale->summary == "Sells scale");
        CHECK(scale->description == "All of scale.");
        CHECK(scale->license == "MIT");
        CHECK(scale->path == "noarch/scale-1~rc1-1.noarch.rpm");
        CHECK(scale->size > 0);
        CHECK(scale->built.has_value());
        REQUIRE(match->errata.size() == 1);
        const auto& errata = match->errata.front();
        CHECK(errata.name == "SHOP-1");
        CHECK(errata.synopsis == "till is safer");
        CHECK(errata.kind == "security");
        CHECK(errata.severity == "Important");
        CHECK(
            errata.updated
            == wall_time(std::chrono::sys_days(std::chrono::year(2026) / 10 / 1))
                   + std::chrono::hours(10));
        CHECK(errata.needs_reboot);
        REQUIRE(errata.references.size() == 1);
        CHECK(errata.references.front().id == "CVE-2026-1");
        REQUIRE(errata.fixed.size() == 1);
        CHECK(errata.fixed.front().at.release == "2");
    }
}

TEST_CASE("what is packed by zstd is read, and what is not packed at all") {
    place fixture;
    make_rpm_repository(fixture.where, shop);
    const auto plain = fixture.home.path() / "primary.xml";
    shell("gzip -dc " + fixture.file("primary").string() + " > " + plain.string());
    const auto text = load(plain);
    contents from_plain;
    REQUIRE(read_packages(text, family::rpm, {}, from_plain).has_value());
    CHECK(from_plain.packages.size() == 3);
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
    contents from_packed;
    REQUIRE(read_packages(packed, family::rpm, {}, from_packed).has_value());
    CHECK(from_packed.packages.size() == 3);
}

TEST_CASE("what apt-ftparchive makes is read: by the suite, and by a component's directory") {
    place fixture;
    make_deb_repository(fixture.where, {{"till", "1:1.0-2"}, {"scale", "3"}});
    for (const std::string below : {"dists/stable", "dists/stable/main/binary-amd64/"}) {
        CAPTURE(below);
        const auto match = fixture.read(family::deb, {}, fixture.where / below);
        REQUIRE_MESSAGE(match.has_value(), to_string(match.error()));
        REQUIRE(match->packages.size() == 2);
        std::map<std::string, repository_package> by_name;
        for (const auto& each : match->packages) by_name[each.package.name] = each;
        CHECK(to_string(by_name["till"].package.at) == "1:1.0-2");
        CHECK(by_name["till"].package.arch == "amd64");
        CHECK(by_name["till"].checksum.size() == 64);
        CHECK(by_name["till"].path == "pool/till_1.0-2_amd64.deb");
        CHECK(by_name["scale"].package.at.release.empty());
        CHECK(by_name["scale"].summary == "Sells scale");
    }
}

TEST_CASE("a file that is not what the index says is refused, and so is one that is cut off") {
    place fixture;
    make_rpm_repository(fixture.where, {shop[0]});
    const auto primary = fixture.file("primary");
    const auto whole = load(primary);
    std::ofstream(primary, std::ios::binary) << whole << "more";
    CHECK(fixture.read(family::rpm).error().code() == errc::corrupt);
    std::ofstream(primary, std::ios::binary) << whole.substr(0, whole.size() / 2);
    CHECK(fixture.read(family::rpm).error().detail().contains("checksum"));
    // Also when somebody who can change both did it.
    contents into;
    for (std::size_t size = 1; size < whole.size(); size += 7) {
        CAPTURE(size);
        CHECK(!read_packages(whole.substr(0, size), family::rpm, {}, into).has_value());
    }
    fs::remove(primary);
    CHECK(fixture.read(family::rpm).error().code() == errc::unavailable);
}

TEST_CASE("what is too large is refused before it is taken") {
    place fixture;
    make_rpm_repository(fixture.where, {shop[0], shop[1]});
    CHECK(fixture.read(family::rpm, {.index_bytes_max = 100}).error().code() == errc::invalid);
    CHECK(fixture.read(family::rpm, {.file_bytes_max = 100}).error().code() == errc::invalid);
    const auto unpacked = fixture.read(family::rpm, {.decompressed_bytes_max = 200});
    REQUIRE(!unpacked.has_value());
    CHECK(unpacked.error().detail().contains("after decompression"));
    const auto many = fixture.read(family::rpm, {.packages_max = 1});
    REQUIRE(!many.has_value());
    CHECK(many.error().detail().contains("limit of 1 packages"));
    // A small file that is a large one when it is unpacked.
    shell("head -c 300000000 /dev/zero | gzip > " + (fixture.home.path() / "zeros.gz").string());
    contents into;
    const auto zeros = load(fixture.home.path() / "zeros.gz");
    CHECK(!read_packages(zeros, family::rpm, {.decompressed_bytes_max = 1'000'000}, into)
               .has_value());
}

TEST_CASE("what leads out of a repository is not followed") {
    for (const std::string path :
         {"../secret",
          "/etc/passwd",
          "a/../../b",
          "http://else/where",
          "a\\b",
          "",
          "a b",
          "a%2e",
          "./x"}) {
        CAPTURE(path);
        CHECK(!check_path(path).has_value());
    }
    CHECK(check_path("repodata/abc-primary.xml.gz").has_value());
    place fixture;
    make_rpm_repository(fixture.where, {shop[0]});
    const auto index = fixture.where / "repodata/repomd.xml";
    auto text = load(index);
    const auto at = text.find("href=\"repodata/");
    std::ofstream(index) << text.replace(at, 15, "href=\"../../../");
    CHECK(fixture.read(family::rpm).error().detail().contains("outside of the repository"));
    place linked;
    make_rpm_repository(linked.where, {shop[0]});
    const auto primary = linked.file("primary");
    fs::rename(primary, linked.home.path() / "elsewhere");
    fs::create_symlink(linked.home.path() / "elsewhere", primary);
    CHECK(linked.read(family::rpm).error().detail().contains("outside of the repository"));
}

TEST_CASE("what is no index is refused with a sentence") {
    CHECK(read_repomd("").error().code() == errc::corrupt);
    CHECK(read_repomd("<html/>").error().code() == errc::corrupt);
    CHECK(read_repomd("<repomd/>").error().code() == errc::corrupt);
    CHECK(read_release("", {.arch = "amd64"}, {}).error().code() == errc::not_found);
    const std::string bad = "SHA256:\n abc 10 ../binary-amd64/Packages\n";
    CHECK(read_release(bad, {.arch = "amd64"}, {}).error().code() == errc::invalid);
    contents into;
    const std::string laughs =
        "<!DOCTYPE a [<!ENTITY b \"bbbbbbbbbb\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">"
        "<!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;\"><!ENTITY e \"&d;&d;&d;&d;&d;&d;&d;&d;\">"
        "<!ENTITY f \"&e;&e;&e;&e;&e;&e;&e;&e;\"><!ENTITY g \"&f;&f;&f;&f;&f;&f;&f;&f;\">"
        "<!ENTITY h \"&g;&g;&g;&g;&g;&g;&g;&g;\"><!ENTITY i \"&h;&h;&h;&h;&h;&h;&h;&h;\">]>"
        "<metadata><package "
        "type=\"rpm\"><name>&i;&i;&i;&i;&i;&i;&i;&i;&i;</name></package></metadata>";
    ignore_error(
        read_packages(laughs, family::rpm, {}, into),
        "the parser may take the entities as nothing");
    CHECK(into.packages.empty());
}

TEST_CASE("addresses are of a few kinds") {
    CHECK(parse_address("https://acme.org/a/").value().base == "https://acme.org/a");
    CHECK(parse_address("file:///srv/a").value().base == "/srv/a");
    CHECK(parse_address("/srv/a").value().local);
    for (const char* const text :
         {"",
          "srv/a",
          "ftp://a",
          "/srv/../etc",
          "https://me:pass@acme.org/",
          "https://a/?b",
          "/a b"}) {
        CAPTURE(text);
        CHECK(!parse_address(text).has_value());
    }
}

}  // namespace
}  // namespace muster::repository
