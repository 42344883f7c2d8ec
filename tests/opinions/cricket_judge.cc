// Reads a configuration a line; prints 1 where the generated code finds no self-collision, and x y z r of each sphere.
#include <cstdio>
#include <iostream>

#include <Eigen/Geometry>
#include <vamp/vector.hh>
#include ROBOT_FILE

using Robot = vamp::robots::ROBOT;

int main()
{
    constexpr std::size_t rake = vamp::FloatVectorWidth;
    vamp::collision::Environment<vamp::FloatVector<rake>> nothing;
    while (true)
    {
        Robot::ConfigurationBlock<rake> block;
        for (std::size_t i = 0; i < Robot::dimension; ++i)
        {
            float value;
            if (not(std::cin >> value))
            {
                return 0;
            }
            block[i] = vamp::FloatVector<rake>::fill(value);
        }
        Robot::Spheres<rake> spheres;
        Robot::sphere_fk<rake>(block, spheres);
        std::printf("%d", static_cast<int>(Robot::fkcc<rake>(nothing, block)));
        for (std::size_t i = 0; i < Robot::n_spheres; ++i)
        {
            const float x = spheres.x[{i, 0}], y = spheres.y[{i, 0}], z = spheres.z[{i, 0}], r = spheres.r[{i, 0}];
            std::printf(" %.9g %.9g %.9g %.9g", x, y, z, r);
        }
        std::printf("\n");
    }
}
