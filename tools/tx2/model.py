"""From counts to times on a Jetson: instructions over what its schedulers issue, and bytes after them, not beside."""

from dataclasses import dataclass

from . import rates

# Share of issue slots that are used, at most, whatever was measured.
EFFICIENCY = 0.6
PYRAMID = 1 + 1 / 4 + 1 / 16
RECORD, DESCRIPTOR = 24, 128
SECTOR = 32


@dataclass(frozen=True)
class Device:
    name: str
    multiprocessors: int
    clock_hz: float
    # Sustained, of the memory that CPU and GPU share.
    bytes_s: float
    # Slots of a scheduler that an instruction takes, by class.
    slots: dict
    pipe: dict
    schedulers: int = 4

    @property
    def issue_s(self):
        return self.multiprocessors * self.schedulers * self.clock_hz


# Where full rate is 64 lanes of 128, as integers have from Volta on, every instruction takes two slots.
VOLTA = {"full": 2, "half": 2, "quarter": 8, "double": 4, "memory": 2}
AMPERE = {"full": 2, "half": 2, "quarter": 8, "double": 64, "memory": 2}
DEVICES = (
    Device("TX2", 2, 1.30e9, 25e9, rates.SLOTS, rates.PIPE),
    # Of 137 and 205 GB/s the share that 25 are of the TX2's 58.
    Device("Xavier", 8, 1.377e9, 59e9, VOLTA, VOLTA),
    Device("Orin", 16, 1.30e9, 88e9, AMPERE, AMPERE),
)


@dataclass(frozen=True)
class Time:
    """Milliseconds: as predicted, and from where to where."""

    predicted: float
    least: float
    most: float


def classes(launch):
    """Instructions of each class, waiting left out."""
    sums = dict.fromkeys(rates.CLASSES, 0.0)
    for total, *parts in launch["files"].values():
        sums["full"] += total * (1 - sum(parts))
        for name, part in zip(rates.CLASSES[1:], parts):
            sums[name] += total * part
    return sums


def instructions(launch):
    return sum(total for total, *_ in launch["files"].values())


def efficiency(launches, kernel):
    """Of the launch whose multiprocessors are as busy as those of a small GPU."""
    busy = [one for one in launches if one["kernel"] == kernel and one["case"] == "16 images" and "issue_active" in one]
    return min([EFFICIENCY, *(one["issue_active"] / 100 for one in busy)])


def least_bytes(launch):
    """What must go to memory or come back: image, pyramid twice, records; of tracks two pyramids at most."""
    area = launch["size"][0] * launch["size"][1]
    if launch["kernel"] == "track":
        return min(traffic(launch), 2 * PYRAMID * area)
    record = RECORD + (DESCRIPTOR if "described" in launch["case"] else 0)
    return area + 2 * PYRAMID * area + record * launch["found"]


def traffic(launch):
    """Bytes that left the multiprocessors, or came there; no bound where that was not measured."""
    return launch["l2_sectors"] * SECTOR if "l2_sectors" in launch else float("inf")


def time(launch, device, used):
    """`used`: share of the issue slots."""
    counts = classes(launch)
    rate = device.issue_s * used
    slots = sum(device.slots[name] * count for name, count in counts.items())
    # Pipes beside each other, all busy: no slot is lost to a slow one until that one is full.
    overlapped = max(sum(counts.values()), *(device.pipe[name] * count for name, count in counts.items()))
    own, card = launch.get("code", (1, 1))
    longer = max(1.0, own / card)
    fewest = least_bytes(launch)
    most = max(fewest, traffic(launch)) if "l2_sectors" in launch else fewest
    seconds = (slots / rate + fewest / device.bytes_s, min(overlapped, slots) / rate,
               longer * slots / rate + most / device.bytes_s)
    return Time(*(1e3 * value for value in seconds))
