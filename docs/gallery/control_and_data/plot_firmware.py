r"""
Firmware: a spherical pendulum on an emulated board
===================================================

A spherical pendulum with an input is exported as C with single precision. A program of a few lines steps it on a board
with a Cortex-M4, whose unit computes floats, and prints the position of the bob. The emulator QEMU runs this firmware.

Verification: over 4 s, the positions agree with those of ``solve`` in double precision within 10 micrometres.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import symlie as sl

pendulum = sl.Model("pendulum")
length = pendulum.parameter("length", 1.0, unit="m")
wind = pendulum.input("wind", 2, unit="N")
bob = pendulum.node("bob", "R3")
pendulum.kinetic_energy(bob.x_dot.dot(bob.x_dot) / 2)
pendulum.potential_energy(9.81 * bob.x[2])
pendulum.force(sl.vector(wind[0], wind[1], 0), bob.x)
pendulum.constraint("rod", (bob.x.dot(bob.x) - length**2) / 2)
pendulum.initial(bob, x=[0.6, 0, -0.8], x_dot=[0, 1, 0])
system = pendulum.derive().compile()

folder = Path(tempfile.mkdtemp())
system.export("c", folder, h=2.0**-8, real="float")

# %%
# The program of the board takes 1,024 steps, and switches the wind on after one second. Times and positions are printed
# as whole numbers, in micrometres.

(folder / "main.c").write_text(r"""
#include "pendulum.h"
#include <stdio.h>

static pendulum_state s;

int main(void)
{
    const pendulum_parameters p = pendulum_default_parameters;
    const float wind[2] = {0, 2};
    pendulum_status status = pendulum_initialize(&s, &p, 0);
    for (int k = 0; k < 1024 && status == PENDULUM_OK; k++) {
        if (k == 256) pendulum_set_input_wind(&s, wind);
        status = pendulum_step(&s, &p, 0x1p-8F);
        printf("%ld %ld %ld\n", (long)(1e6F * s.q[0]), (long)(1e6F * s.q[1]), (long)(1e6F * s.q[2]));
    }
    return status;
}
""")

# %%
# The board has no operating system: its memory, a table with the stack and the first function, and this function that
# switches the unit for floats on, are stated here.

(folder / "board.ld").write_text("""
MEMORY { FLASH (rx) : ORIGIN = 0, LENGTH = 4M  RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 4M }
ENTRY(begin)
SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) } > FLASH
  .ARM.exidx : { *(.ARM.exidx*) } > FLASH
  .data : { *(.data*) } > RAM
  .bss : { *(.bss*) *(COMMON) } > RAM
  end = .;
}
""")
(folder / "board.c").write_text("""
#include <stdint.h>
#include <stdlib.h>

extern int main(void);
extern void initialise_monitor_handles(void);

void _init(void) {}
void _fini(void) {}

void begin(void)
{
    *(volatile uint32_t *)0xE000ED88u |= 0xFu << 20;
    __asm volatile("dsb\\n isb");
    initialise_monitor_handles();
    exit(main());
}

__attribute__((section(".vectors"), used)) static void *const vectors[] = {(void *)0x20400000, begin};
""")


def ran_on_board() -> np.ndarray:
    """Return the printed positions, in m."""
    processor = ["-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]
    link = ["--specs=rdimon.specs", "-nostartfiles", "-T", "board.ld", "-lm", "-o", "firmware.elf"]
    sources = ["board.c", "main.c", "pendulum.c"]
    subprocess.run(["arm-none-eabi-gcc", *processor, "-O2", *sources, *link], cwd=folder, check=True)
    emulated = ["qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting-config", "enable=on,target=native"]
    ran = subprocess.run(
        [*emulated, "-kernel", "firmware.elf"], cwd=folder, check=True, capture_output=True, text=True,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return np.array([line.split() for line in ran.stdout.splitlines()], dtype=float) / 1e6


# %%
# The firmware agrees with a run in double precision.

missing = [name for name in ("arm-none-eabi-gcc", "qemu-system-arm") if shutil.which(name) is None]
if missing:
    print(f"The firmware was not run, because {' and '.join(missing)} was not found.")
else:
    found = ran_on_board()
    switched = system.with_input("wind", [0.0, 1.0], [[0.0, 0.0], [0.0, 2.0]], "hold")
    solution = sl.solve(switched, 4, h=2.0**-8)
    assert np.abs(found - solution.q[1:]).max() < 1e-5
    figure, (above, below) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    above.plot(solution.q[:, 0], solution.q[:, 1], color="0.75", linewidth=4, label="solve")
    above.plot(found[:, 0], found[:, 1], linewidth=1, label="board")
    above.set(xlabel="x, m", ylabel="y, m", aspect="equal")
    above.legend()
    below.plot(solution.t[1:], 1e6 * np.abs(found - solution.q[1:]).max(axis=1))
    below.set(xlabel="time, s", ylabel="largest difference, micrometres")
