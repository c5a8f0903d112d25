#include "apps/agent/facts/sources.h"

#include <array>

namespace muster::agent {
namespace {

struct hint {
    std::string_view part;  // of what is read
    std::string_view type;
};

template <std::size_t Count>
std::optional<std::string> hinted(
    const std::optional<std::string>& text, const std::array<hint, Count>& hints) {
    if (!text) return std::nullopt;
    for (const auto& each : hints) {
        if (text->contains(each.part)) return std::string(each.type);
    }
    return std::nullopt;
}

std::optional<std::string> container_type(const std::filesystem::path& root) {
    constexpr std::array hints{
        hint{"kubepods", "kubernetes"},
        hint{"docker", "docker"},
        hint{"libpod", "podman"},
        hint{"lxc", "lxc"}};
    std::error_code ignored;
    if (auto text = text_of(root / "run/systemd/container"); text && !text->empty()) return text;
    if (std::filesystem::exists(root / ".dockerenv", ignored)) return "docker";
    if (std::filesystem::exists(root / "run/.containerenv", ignored)) return "podman";
    return hinted(text_of(root / "proc/1/cgroup"), hints);
}

std::optional<std::string> machine_type(const std::filesystem::path& root) {
    constexpr std::array hints{
        hint{"VMware", "vmware"},
        hint{"VirtualBox", "virtualbox"},
        hint{"innotek", "virtualbox"},
        hint{"Amazon", "amazon"},
        hint{"Google", "google"},
        hint{"Microsoft", "hyperv"},
        hint{"Xen", "xen"},
        hint{"QEMU", "kvm"},
        hint{"KVM", "kvm"}};
    for (const auto* file : {"sys_vendor", "product_name"}) {
        if (auto type = hinted(text_of(root / "sys/class/dmi/id" / file), hints)) return type;
    }
    if (auto type = text_of(root / "sys/hypervisor/type"); type && !type->empty()) return type;
    constexpr std::array flags{hint{" hypervisor", "unknown"}};
    return hinted(text_of(root / "proc/cpuinfo"), flags);
}

}  // namespace

void add_virtualisation_facts(collection& to, const std::filesystem::path& root) {
    if (const auto type = container_type(root)) {
        to.add("virtual.kind", std::string_view("container"));
        to.add("virtual.type", std::string_view(*type));
    } else if (const auto machine = machine_type(root)) {
        to.add("virtual.kind", std::string_view("machine"));
        to.add("virtual.type", std::string_view(*machine));
    } else {
        to.add("virtual.kind", std::string_view("none"));
    }
}

}  // namespace muster::agent
