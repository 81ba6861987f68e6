# a function inside of main is compiled and gets several sizes
import torch


def main():
    weight = torch.randn(4, 4)

    @torch.compile(backend="eager")
    def project(x):
        return x @ weight

    for n in (2, 3, 4):
        project(torch.randn(n, 4))  #! recompile input


if __name__ == "__main__":
    main()
