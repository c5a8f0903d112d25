#include "adapters/repository/signature.h"

#include "adapters/repository/repository_reader.h"
#include "runtime/clock.h"
#include "tests/fixtures/content/repository_builder.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

namespace muster::repository {
namespace {

namespace fs = std::filesystem;
using namespace content::test;
using harness::run_sync;

std::string text_of(const fs::path& file) {
    std::ifstream from(file, std::ios::binary);
    std::stringstream all;
    all << from.rdbuf();
    return all.str();
}

// Somebody with a key of gpg's own making.
struct author {
    harness::temporary_directory home{"gpg"};
    std::string print;

    explicit author(const std::string& name) {
        const auto at = "gpg --homedir " + home.path().string() + " --batch --quiet ";
        shell(at + "--passphrase '' --quick-gen-key " + name + " ed25519 sign never");
        shell(at + "--armor --export > " + (home.path() / "key.asc").string());
        shell(at + "--export > " + (home.path() / "key.gpg").string());
        shell(
            at + "--with-colons --fingerprint | awk -F: '$1 == \"fpr\" {print $10; exit}' > "
            + (home.path() / "print").string());
        shell("gpgconf --homedir " + home.path().string() + " --kill gpg-agent");
        print = text_of(home.path() / "print");
        print.pop_back();
    }
    fs::path key() const { return home.path() / "key.asc"; }
    void sign(const fs::path& file, const fs::path& signature) const {
        shell(
            "gpg --homedir " + home.path().string() + " --batch --yes --armor --output "
            + signature.string() + " --detach-sign " + file.string() + "; gpgconf --homedir "
            + home.path().string() + " --kill gpg-agent");
    }
};

TEST_CASE("an index is taken with a good signature by the very key, and with no other") {
    const author ada("ada");
    const author eve("eve");
    const harness::temporary_directory home("signed");
    runtime::system_clock clock;
    const auto repo = home.path() / "repo";
    make_rpm_repository(repo, {{.name = "till", .version = "1.0"}}, "");
    const auto index = repo / "repodata/repomd.xml";
    const auto signature = repo / "repodata/repomd.xml.asc";
    const auto read = [&](const fs::path& key, const std::string& print) {
        repository_reader reader(clock, {.directories = {home.path(), key.parent_path()}});
        const source from{
            .layout = packages::family::rpm,
            .url = repo.string(),
            .signed_by = signer{.key_url = key.string(), .fingerprint = print}};
        const auto match = run_sync(reader.read(from, [](const std::string&) {}));
        return match ? std::string("well") : std::string(match.error().detail());
    };

    CHECK(read(ada.key(), ada.print).contains("repomd.xml.asc"));  // nobody has signed it
    ada.sign(index, signature);
    CHECK(read(ada.key(), ada.print) == "well");
    CHECK(read(ada.home.path() / "key.gpg", ada.print.substr(24)) == "well");
    CHECK(read(eve.key(), eve.print).contains("no valid signature"));
    CHECK(read(eve.key(), ada.print).contains("no valid signature"));
    CHECK(read(ada.key(), eve.print).contains("no valid signature"));
    CHECK(read(ada.key(), "ABCD").contains("hexadecimal"));
    std::ofstream(index, std::ios::app) << "<!-- more -->";
    CHECK(read(ada.key(), ada.print).contains("no valid signature"));
}

TEST_CASE("fingerprints have one spelling, and short ones mean nobody") {
    CHECK(
        normalize_fingerprint("0123 4567 89ab cdef 0123  4567 89AB CDEF 0123 4567").value()
        == "0123456789ABCDEF0123456789ABCDEF01234567");
    CHECK(normalize_fingerprint("0x0123456789abcdef").value() == "0123456789ABCDEF");
    for (const char* wrong : {"", "89ABCDEF", "0123456789abcdeg"})
        CHECK_FALSE(normalize_fingerprint(wrong).has_value());
}

}  // namespace
}  // namespace muster::repository
