#include "tests/integration/muster_server.h"

#include <doctest/doctest.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace muster::integration {
namespace {

// A file system of its own, so that it can be full.
class small_disk {
public:
    explicit small_disk(const char* size = "size=24m") {
        mounted_ = ::mount("tmpfs", place_.path().c_str(), "tmpfs", 0, size) == 0;
    }
    small_disk(const small_disk&) = delete;
    small_disk& operator=(const small_disk&) = delete;
    ~small_disk() {
        if (mounted_) ::umount2(place_.path().c_str(), MNT_DETACH);
    }

    bool mounted() const {
        if (!mounted_) MESSAGE("skipped: this user cannot mount a small file system");
        return mounted_;
    }
    std::filesystem::path path() const { return place_.path(); }
    void fill() const {
        std::ofstream out(path() / "filling", std::ios::binary);
        const std::string piece(4096, 'x');
        while (out.write(piece.data(), 4096) && out.flush()) {}
    }
    void free() const { std::filesystem::remove(path() / "filling"); }

private:
    harness::temporary_directory place_{"disk"};
    bool mounted_ = false;
};

TEST_CASE("a full disk refuses writes with 503 and is over when there is room again") {
    const small_disk disk;
    if (!disk.mounted()) return;
    muster_server server({}, disk.path() / "data");
    server.start_and_wait_until_ready();

    disk.fill();
    harness::eventually("a login is refused", [&] { return server.login().exit_code == 4; });
    CHECK(server.health("/healthz").exit_code == 200);

    disk.free();
    harness::eventually("a login works", [&] { return server.login().exit_code == 0; });
    server.wait_until_ready();
}

TEST_CASE("a start on a full disk is refused and leaves nothing behind") {
    const small_disk disk;
    if (!disk.mounted()) return;
    disk.fill();
    muster_server server({}, disk.path() / "data");

    const auto refused = server.run_to_end();

    CHECK(refused.exit_code == 1);
    CHECK(refused.output.contains("cannot be used"));
    CHECK_FALSE(std::filesystem::exists(disk.path() / "data" / "ca.pem"));
}

TEST_CASE("a first start on a disk that is nearly full ends with a sentence and founds nothing") {
    for (const auto* size : {"size=120k", "size=400k", "size=700k"}) {
        CAPTURE(size);
        const small_disk disk(size);
        if (!disk.mounted()) return;
        muster_server server({}, disk.path() / "data");

        const auto refused = server.run_to_end();

        CHECK(refused.exit_code == 1);
        CHECK_MESSAGE(refused.output.contains(server.data().string() + " cannot be used"), size);
        CHECK_FALSE(refused.output.contains("engine unavailable at startup"));
        CHECK_FALSE(std::filesystem::exists(server.data() / "ca.pem"));
        CHECK_FALSE(std::filesystem::exists(server.data() / "cluster-id"));
    }
}

}  // namespace
}  // namespace muster::integration
