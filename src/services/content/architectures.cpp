#include "services/content/architectures.h"

#include <array>

namespace muster::content {
namespace {

using packages::family;

constexpr std::array all{
    channel_arch{"channel-x86_64", "x86_64", "x86_64", family::rpm},
    channel_arch{"channel-aarch64", "AArch64", "aarch64", family::rpm},
    channel_arch{"channel-ia32", "IA-32", "i686", family::rpm},
    channel_arch{"channel-ppc64le", "PPC64LE", "ppc64le", family::rpm},
    channel_arch{"channel-s390x", "s390x", "s390x", family::rpm},
    channel_arch{"channel-armhfp", "ARM hard. FP", "armv7hl", family::rpm},
    channel_arch{"channel-riscv64", "RISC-V 64", "riscv64", family::rpm},
    channel_arch{"channel-amd64-deb", "AMD64 Debian", "amd64", family::deb},
    channel_arch{"channel-ia32-deb", "IA-32 Debian", "i386", family::deb},
    channel_arch{"channel-arm64-deb", "AArch64 Debian", "arm64", family::deb},
    channel_arch{"channel-armhf-deb", "ARM hard. FP Debian", "armhf", family::deb},
    channel_arch{"channel-ppc64el-deb", "PPC64LE Debian", "ppc64el", family::deb},
    channel_arch{"channel-s390x-deb", "s390x Debian", "s390x", family::deb}};

}  // namespace

std::span<const channel_arch> channel_arches() {
    return all;
}

const channel_arch* find_arch(std::string_view label) {
    for (const auto& each : all)
        if (each.label == label) return &each;
    return nullptr;
}

std::string package_arch_of(std::string_view label) {
    const auto* const found = find_arch(label);
    return std::string(found == nullptr ? "" : found->packages);
}

std::string arch_label(family kind, std::string_view arch) {
    return kind == family::deb ? std::string(arch) + "-deb" : std::string(arch);
}

}  // namespace muster::content
